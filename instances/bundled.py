"""A real data set that comes with the installation."""

from __future__ import annotations

import numpy as np

from radprog.instances.dataset import Dataset, dataset


def breast_cancer(scale: str = "none") -> Dataset:
    """Wisconsin diagnostic breast cancer, as bundled with scikit-learn: X (569, 30).

    malignant (212 rows) is +1, benign (357) is -1. scale: one of SCALINGS, fitted on all rows.
    """
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    return dataset(
        bunch.data,
        np.asarray(bunch.target_names)[bunch.target],
        name="breast_cancer",
        labels=("benign", "malignant"),
        features=tuple(str(name) for name in bunch.feature_names),
        scale=scale,
    )
