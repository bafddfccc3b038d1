"""Kernels against plain loops; banks, stored and streamed, against stacked kernel matrices."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import radprog as rp
from radprog.base.types import FloatArray
from radprog.models import kernel_bank
from radprog.models.kernel_bank import KernelBank
from radprog.models.kernels import KernelFunction, Precomputed, base_matrix, on_rows, parse_kernels
from radprog.models.mkl import kernel_sets
from radprog.models.mkl.kernel_sets import RawKernel, kernel_values

Function = Callable[[Sequence[float], Sequence[float]], float]


def inner(x: Sequence[float], z: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(x, z, strict=True))


def powers(x: Sequence[float], z: Sequence[float], power: int) -> float:
    return sum(abs(a - b) ** power for a, b in zip(x, z, strict=True))


def edits(s: str, t: str) -> int:
    """Levenshtein distance by the recursion over prefixes, one row at a time."""
    row = list(range(len(t) + 1))
    for i, a in enumerate(s, 1):
        previous, row = row, [i]
        for j, b in enumerate(t, 1):
            row.append(min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a != b)))
    return row[-1]


FORMULAS: list[tuple[str, Function]] = [
    ("poly:1", lambda x, z: inner(x, z) + 1),
    ("poly:2", lambda x, z: (inner(x, z) + 1) ** 2),
    ("poly:7", lambda x, z: (inner(x, z) + 1) ** 7),
    ("linear", inner),
    ("rbf:0.3", lambda x, z: math.exp(-0.3 * powers(x, z, 2))),
    ("laplace:0.7", lambda x, z: math.exp(-0.7 * powers(x, z, 1))),
]


def points(n: int, seed: int) -> FloatArray:
    return np.random.default_rng(seed).normal(size=(n, 3))


def one(spec: str) -> KernelFunction:
    (kernel,) = parse_kernels(spec)
    return kernel


# ---------------------------------------------------------------- single kernels


@pytest.mark.parametrize(("spec", "function"), FORMULAS)
def test_kernel_equals_its_formula(spec: str, function: Function) -> None:
    X, Z = points(6, seed=1), points(4, seed=2)
    kernel = one(spec)
    looped = [[function(x, z) for z in Z.tolist()] for x in X.tolist()]
    assert kernel(X, Z) == pytest.approx(np.array(looped), rel=1e-11, abs=1e-13)
    assert kernel(X, Z).shape == (6, 4)
    itself = [function(x, x) for x in X.tolist()]
    assert kernel.diagonal(X) == pytest.approx(np.array(itself), rel=1e-12)
    assert kernel.psd
    assert np.linalg.eigvalsh(kernel(X, X)).min() > -1e-9 * np.abs(kernel(X, X)).max()


WORDS = st.text(st.sampled_from("abcé中"), max_size=7)


@given(st.lists(WORDS, min_size=1, max_size=4), st.lists(WORDS, min_size=1, max_size=4))
def test_edit_kernel_equals_levenshtein(first: list[str], second: list[str]) -> None:
    K = one("edit")(np.array(first, dtype=np.str_), np.array(second, dtype=np.str_))
    looped = [[-edits(s, t) / max(len(s), len(t), 1) for t in second] for s in first]
    np.testing.assert_allclose(K, looped, rtol=0, atol=1e-15)


def test_kernels_refuse_the_wrong_kind_of_points() -> None:
    words, numbers = np.array(["a", "b"]), points(2, seed=3)
    refused(rp.OptionError, "needs strings", one("edit"), numbers, numbers)
    for spec in ("linear", "poly:2", "rbf:1", "laplace:1"):
        refused(rp.OptionError, "only the kernel edit takes strings", one(spec), words, words)


# ---------------------------------------------------------------- precomputed matrices


def precomputed(folder, matrix: FloatArray) -> KernelFunction:
    np.save(folder / "K.npy", matrix)
    return one(f"file:{folder / 'K.npy'}")


def test_precomputed_rows_are_points_and_columns_are_centres(tmp_path) -> None:
    K = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]])
    X = points(3, seed=4)
    kernel = precomputed(tmp_path, K)
    for store_limit in (1 << 20, 0):
        bank = KernelBank([kernel], X, store_limit=store_limit)
        assert np.array_equal(bank.gram(0), K)
        # sum over points of row i: (1, 0, 0) picks the first row, not the first column
        assert bank.correlate(np.array([1.0, 0.0, 0.0]))[0] == pytest.approx([1, 2, 3])
        assert bank.correlate(np.array([1.0, -1.0, 0.5]))[0] == pytest.approx([0.5, 1, 2])
        assert bank.columns(np.array([[0, 2], [0, 0]])).T.tolist() == [[3, 6, 10], [1, 4, 7]]
        assert bank.column_norms[0] == pytest.approx(np.sqrt([66, 93, 145]))
        assert bank.kernels[0].diagonal(bank.X).tolist() == [1, 5, 10]

    wrong, words = precomputed(tmp_path, np.ones((3, 2))), r"3 x 2, expected 2 x 3 \(points x"
    refused(rp.DataError, words, KernelBank, [wrong], points(2, seed=7), X)
    refused(rp.DataError, "square", wrong.diagonal, X)
    refused(rp.DataError, r"no\.npy", parse_kernels, f"file:{tmp_path / 'no.npy'}")


# ---------------------------------------------------------------- banks


def mixed_kernels(n: int, c: int) -> list[KernelFunction]:
    matrix = np.random.default_rng(9).normal(size=(n, c))
    return [*parse_kernels("poly:3,rbf:0.2,poly:1,linear,laplace:2"), Precomputed("K.npy", matrix)]


N, C = 23, 150


@pytest.fixture(params=["stored", "streamed"])
def bank(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> KernelBank:
    # blocks of 64, 64 and 22 centres, and of 5, 5, 5, 5 and 3 points
    monkeypatch.setattr(kernel_bank, "TILE_PAIRS", 5 * 64)
    store_limit = 1 << 20 if request.param == "stored" else 0
    kernels = mixed_kernels(N, C)
    made = KernelBank(kernels, points(N, seed=10), points(C, seed=11), store_limit=store_limit)
    assert made.stored == (request.param == "stored")
    return made


@pytest.fixture
def stack() -> FloatArray:
    X, Z = points(N, seed=10), points(C, seed=11)
    return np.stack([kernel(X, Z) for kernel in mixed_kernels(N, C)])


def test_bank_holds_the_kernels_in_their_order(bank: KernelBank, stack: FloatArray) -> None:
    assert bank.shape == stack.shape == (6, N, C)
    for k in range(len(stack)):
        assert bank.gram(k) == pytest.approx(stack[k], rel=1e-13)
    assert bank.max_abs == pytest.approx(np.abs(stack).max(axis=(1, 2)), rel=1e-13)
    assert bank.column_norms == pytest.approx(np.linalg.norm(stack, axis=1), rel=1e-12)


@pytest.mark.parametrize("used", [N, N // 2, 2, 0])
@pytest.mark.parametrize("shape", [(N,), (N, 4), (N, 1)])
def test_correlate_sums_over_points(bank, stack, used: int, shape: tuple[int, ...]) -> None:
    V = np.random.default_rng(12).normal(size=shape)
    V[np.random.default_rng(13).permutation(N)[used:]] = 0
    before = V.copy()
    for absolute in (False, True):
        parts = (np.abs(stack), np.abs(V)) if absolute else (stack, V)
        expected = np.einsum("knc,n...->kc...", *parts)
        found = bank.correlate(V, absolute=absolute)
        assert found.shape == expected.shape
        assert found == pytest.approx(expected, rel=1e-10, abs=1e-10)
    assert np.array_equal(V, before)


def test_columns_come_in_the_order_asked_for(bank: KernelBank, stack: FloatArray) -> None:
    pairs = np.array([[5, 3], [0, 16], [2, 0], [0, 1], [5, 16], [0, 16], [4, 7]])
    assert bank.columns(pairs) == pytest.approx(stack[pairs[:, 0], :, pairs[:, 1]].T, rel=1e-13)
    assert bank.columns(pairs[:0]).shape == (N, 0)


def test_sums_do_not_depend_on_threads(bank: KernelBank, stack: FloatArray) -> None:
    V, limit = np.random.default_rng(12).normal(size=N), 1 << 20 if bank.stored else 0
    other = KernelBank(bank.kernels, bank.X, bank.centres, limit, weights=V, threads=3)
    assert np.array_equal(bank.correlate(V), other.correlate(V))
    assert np.array_equal(bank.column_norms, other.column_norms)


def test_values_differ_by_no_more_than_is_said(bank: KernelBank, stack: FloatArray) -> None:
    for i in range(N):
        assert (np.abs(bank.correlate(np.eye(N)[i]) - stack[:, i]) <= bank.value_errors + 0.0).all()
    assert (bank.value_errors[:-1] > 0).all() != bank.stored
    assert not bank.value_errors[-1].any()  # a given matrix


@pytest.mark.parametrize("store_limit", [1 << 20, 0])
def test_bank_of_strings(store_limit: int) -> None:
    words, centres = np.array(["abc", "abd", "x"]), np.array(["ab", "xyz"])
    bank = KernelBank(parse_kernels("edit"), words, centres, store_limit)
    expected, v = -np.array([[1 / 3, 1], [1 / 3, 1], [1, 2 / 3]]), np.array([1.0, 0.0, -3.0])
    assert bank.gram(0) == pytest.approx(expected)
    assert bank.correlate(v)[0] == pytest.approx(v @ expected, rel=1e-14)
    assert bank.columns(np.array([[0, 1]]))[:, 0] == pytest.approx(expected[:, 1])


# ---------------------------------------------------------------- size


def test_kernels_in_a_row_share_their_base(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(base: str, X: FloatArray, Z: FloatArray) -> FloatArray:
        asked.append(base)
        return base_matrix(base, X, Z)

    X, Z = points(9, 0), points(4, 1)
    own = rp.Kernel("mine", lambda X, Z: np.tanh(X @ Z.T)).function()
    kernels = [*parse_kernels("linear,poly:1-3,rbf:0.1..10,laplace:1"), own, one("rbf:3")]
    expected = [kernel(X, Z) for kernel in kernels]
    monkeypatch.setattr(kernel_sets, "base_matrix", counted)
    found = kernel_values([RawKernel(name=kernel.name) for kernel in kernels], X, Z)
    np.testing.assert_array_equal(list(found), expected)
    assert asked == ["inner", "squared", "cityblock", "squared"]


def test_overflow_is_refused_with_the_kernel_and_a_remedy() -> None:
    X, words = 1e16 * points(4, seed=15), "poly:5 overflows.*scale"
    for limit in (1 << 20, 0):
        refused(rp.DataError, words, KernelBank, parse_kernels("poly:1-10"), X, store_limit=limit)
    KernelBank(parse_kernels("poly:1-4"), X)
    refused(rp.DataError, "poly:10 overflows", KernelBank, parse_kernels("poly:10"), 1e100 * X)
    # high degrees of large features are warned of
    for spec, size, warned in (("1-5", 11.0, 1), ("1-4", 11.0, 0), ("1-5", 9.0, 0)):
        warnings = KernelBank(parse_kernels(f"poly:{spec}"), np.array([[size], [1.0]])).warnings
        assert ["degree 5" in text for text in warnings] == [True] * warned


# ---------------------------------------------------------------- specifications


def test_specifications() -> None:
    for spec, names in (
        ("poly:1-3", "poly:1 poly:2 poly:3"),
        ("linear, rbf:0.01", "linear rbf:0.01"),
        ("rbf:1e-2..1e1", "rbf:0.01 rbf:0.1 rbf:1 rbf:10"),
        ("rbf:3e-6..3e-4", "rbf:3e-06 rbf:3e-05 rbf:0.0003"),
        ("laplace:2,edit", "laplace:2 edit"),
    ):
        parsed = parse_kernels(spec)
        assert parsed == tuple(one(name) for name in names.split())
        assert [kernel.name for kernel in parsed] == names.split()


@given(st.floats(1e-12, 1e12), st.sampled_from(["rbf", "laplace"]))
def test_a_name_reads_back_as_the_same_kernel(gamma: float, kind: str) -> None:
    kernel = one(f"{kind}:{gamma!r}")
    assert one(kernel.name) == kernel


def test_malformed_specifications_are_refused() -> None:
    for spec, words in (
        ("", "unknown kernel ''"),
        ("poly:1,,linear", "unknown kernel ''"),
        ("gauss:1", "unknown kernel 'gauss:1'"),
        ("poly", "poly"),
        *((f"poly:{text}", "DEGREE") for text in ("", "-1", "1.5")),
        *((f"poly:{text}", "degrees") for text in ("0", "3-2", "51")),
        ("rbf", "kernel 'rbf': '' is not a positive number, expected rbf:G or rbf:G1..G2"),
        ("laplace", "expected laplace:G"),
        *((f"rbf:{g}", "not a positive number") for g in ("", "x", "0", "-1", "nan", "1..")),
        ("laplace:inf", "not a positive number"),
        ("rbf:1e0..1e-2", "backwards"),
        *((f"{kind}", "unknown kernel") for kind in ("linear:2", "edit:2", "file:")),
        ("poly:1-3,poly:2", "'poly:2' is given twice"),
        ("rbf:0.1,rbf:1e-1", "given twice"),
    ):
        refused(rp.OptionError, words, parse_kernels, spec)


def test_a_width_of_the_rows() -> None:
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(40, 3)), rng.integers(1, 4, 40).astype(float)
    (kernel,) = parse_kernels(on_rows("rbf:scale", X, None))
    assert kernel.gamma == pytest.approx(1 / (3 * X.var()), rel=1e-5)
    assert parse_kernels(kernel.name) == (kernel,)
    copies = np.repeat(X, weights.astype(int), axis=0)
    assert on_rows("rbf:scale", X, weights) == on_rows("rbf:scale", copies, None)
    assert on_rows("poly:1-3", X, None) == "poly:1-3"
    assert on_rows("rbf:scale", np.ones((3, 2)), None) == "rbf:scale=1"
    with pytest.raises(rp.OptionError, match="has no width: the rows of one table"):
        parse_kernels("rbf:scale")[0](X, X)
