"""LAPACK without the interpreter's lock, which scipy's own wrappers hold for a whole call: so that
a limit can give up on it (:mod:`radprog.base.limits`)."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from radprog.base.limits import bounded
from radprog.base.types import FloatArray, IntArray

ROWS_TAKEN = 256  # at once, of a part of a matrix
LARGE_MATRIX = 400  # points from which a factorisation may take long enough to be given up on


@functools.cache
def _routine(name: str, arguments: int) -> Callable[..., None]:
    """A routine of the library that scipy itself calls; its arguments are addresses."""
    from scipy.linalg import cython_lapack  # help is shown without scipy

    table: Any = cython_lapack.__pyx_capi__
    capsule, api = table[name], ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = (
        ctypes.c_char_p,
        [ctypes.py_object],
    )
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    address = api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))
    signature = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * arguments)
    found: Callable[..., None] = signature(address)
    return found


def by_size(n: int, call: Callable[..., Any], *args: Any) -> Any:
    """call(*args), which frees the interpreter; given up on at a limit where n is large."""
    return bounded(call, *args) if n >= LARGE_MATRIX else call(*args)


def positive_definite(M: FloatArray) -> bool:
    """Whether a Cholesky factorisation of a symmetric M (n, n), contiguous, succeeds; it is made
    in the place of M."""
    return bool(by_size(len(M), _dpotrf, M) == 0)


def factored(M: FloatArray) -> FloatArray | None:
    """L (n, n) of M = LL' in the place of a symmetric M (n, n), contiguous: its lower triangle
    alone, above which M's values stay, and by columns, as scipy takes it without a copy. None where
    M is not positive definite."""
    return M.T if positive_definite(M) else None


def principal(K: FloatArray, chosen: IntArray) -> FloatArray:
    """The rows and columns ``chosen`` (m,) of K (n, n): (m, m), contiguous, and little more memory
    than that."""
    m = len(chosen)
    part = np.empty((m, m))
    for start in range(0, m, ROWS_TAKEN):
        rows = slice(start, start + ROWS_TAKEN)
        np.take(K[chosen[rows]], chosen, axis=1, out=part[rows], mode="clip")  # raise has a copy
    return part


def _dpotrf(M: FloatArray) -> int:
    size, info = ctypes.c_int(len(M)), ctypes.c_int()
    values = ctypes.c_char(b"L"), size, M.ctypes, size, info
    _routine("dpotrf", 5)(*[_address(value) for value in values])
    return info.value


def eigenpairs(M: FloatArray, first: int, last: int) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues number first..last, from 0 and the least up, of a symmetric M (n, n), and their
    vectors (n, last - first + 1): of all where dsyevr misses some, as of an identity with rounding
    errors beside its diagonal."""
    found = by_size(len(M), _dsyevr, M, first, last)
    if found is None:
        values, vectors = by_size(len(M), np.linalg.eigh, M)
        found = values[first : last + 1], vectors[:, first : last + 1]
    return found[0], found[1]


def _dsyevr(M: FloatArray, first: int, last: int) -> tuple[FloatArray, FloatArray] | None:
    """None where it does not find them all."""
    n, count = len(M), last - first + 1
    a = np.array(M, dtype=np.float64, order="F")
    w, z = np.empty(n), np.empty((n, count), order="F")
    isuppz, found, info = np.empty(2 * n, np.intc), ctypes.c_int(), ctypes.c_int()
    size, zero = ctypes.c_int(n), ctypes.c_double(0.0)
    ends = ctypes.c_int(first + 1), ctypes.c_int(last + 1)
    letters = [ctypes.c_char(letter) for letter in (b"V", b"I", b"L")]

    def run(work: FloatArray, lwork: int, iwork: Any, liwork: int) -> None:
        lengths = ctypes.c_int(lwork), ctypes.c_int(liwork)
        near = [*letters, size, a.ctypes, size, zero, zero, *ends, zero, found, w.ctypes, z.ctypes]
        more = [size, isuppz.ctypes, work.ctypes, lengths[0], iwork.ctypes, lengths[1], info]
        _routine("dsyevr", 21)(*[_address(value) for value in (*near, *more)])

    work, iwork = np.empty(1), np.empty(1, np.intc)
    run(work, -1, iwork, -1)
    lwork, liwork = int(work[0]), int(iwork[0])
    run(np.empty(lwork), lwork, np.empty(liwork, np.intc), liwork)
    if info.value or found.value != count:
        return None
    return w[:count].copy(), z


def _address(value: Any) -> Any:
    return value.data if hasattr(value, "data_as") else ctypes.addressof(value)
