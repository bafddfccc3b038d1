"""
A similarity that is not a kernel
=================================

The edit distance of words gives a similarity with negative eigenvalues. Its support vector machine
is nevertheless a convex program with a certificate.
"""

import matplotlib.pyplot as plt
import numpy as np

import radprog as rp

rng = np.random.default_rng(0)
stems, ends = ("walk", "play", "turn", "call", "open", "start"), ("ing", "ed")
words = [stem + end for stem in stems for end in ends]
words += [word[:i] + word[i + 1 :] for word in words for i in (1, len(word) - 2)]
labels = np.array([word.endswith(("ed", "d", "e")) for word in words], dtype=int)
run = rp.fit(rp.SimSVM(kernels="edit", lam=1e-2), rp.dataset(np.array(words), labels))
print(run.status, "training error", run.summary["training_error"])
assert run.certified

scores = run.decision_function(np.array(words))
order = np.argsort(scores)
colours = np.where(labels[order] == 1, "tab:orange", "tab:blue")
plt.figure(figsize=(6, 9), layout="constrained")
plt.barh([words[i] for i in order], scores[order], color=colours, edgecolor="k")
plt.tick_params(axis="y", labelsize=11)
plt.margins(y=0.01)
plt.xlabel("score")
plt.title(f"{run.summary['negative_eigenvalues']} negative eigenvalues, certified optimum")
plt.show()
