"""Files that are refused: (command that reads one of that name, its content, words of the message).

``{}`` in a command is the file; the suffix says its format."""

import io
from typing import Any

import numpy as np

HEAD = "@relation r\n@attribute a real\n@attribute c {x,y}\n@data\n"
EYE = np.eye(4)


def npy(array: Any) -> bytes:
    """A NumPy file."""
    stream = io.BytesIO()
    np.save(stream, np.asarray(array), allow_pickle=True)
    return stream.getvalue()


def npz(**arrays: Any) -> bytes:
    """A NumPy archive."""
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


BINARY = b"\x00\x01\x02" * 40
FILES: tuple[tuple[str, str | bytes, str], ...] = (
    # CSV and its kin
    ("solve svm {}.csv", "a,b,class\n", "no rows"),
    ("solve svm {}.csv", "1,2,a\n3,4,é\n".encode("latin-1"), "row 2: byte 0xe9"),
    ("solve svm {}.csv", "1,2,x\n7e60,1,y\n", "too large for libsvm"),
    ("solve svm {}.csv", "x\ny\n", "no feature"),
    ("solve svm {}.csv --missing=drop", "?,x\n?,y\n", "none is left"),
    ("solve svm {}.csv --missing=mean", "1,?,x\n3,?,y\n", "feature 1"),
    ("solve svm {}.csv --scale=standard", "1e308,x\n-1e308,y\n", "too large"),
    ("solve svm {}.csv --label=a", "a,a\n1,0\n2,1\n", "that occurs once"),
    ("solve svm {}.csv --strings=1 --kernels=edit", "a,0\nb,1\n", "different"),
    ("solve vkr {}.csv", "1e40,1,x\n2e40,1,y\n", "scale"),
    ("solve vkr d.csv --kernels=poly:1 --centres {}.csv", "1,2,3\n", "features"),
    ("solve vkr d.csv --kernels=poly:1 --centres {}.csv", "1,q\n", "column 1"),
    ("solve mkl {}.csv", "1,2,x\n3,4,x\n", "class"),
    ("solve mkl --views d.csv,{}.csv", "1,2,x\n", "1 rows"),
    ("solve mkl --views d.csv,{}.csv", "1,2,y\n" * 12, "label"),
    ("solve svr {}.csv", "1,2\n3,x\n", "expected a finite number"),
    ("solve svr {}.csv", "1,2\n3,\n", "target is missing"),
    ("solve svr {}.csv", "1,2\n3,4\nnan,1\n", "--missing"),
    ("solve svm {}.csv", "".join(f"1,{k / 7}\n" for k in range(40)), "(numeric targets: read_regr"),
    ("complexity vkr {}.csv --exact --kernels poly:1", "1,x\n2,y\n" * 15, "sign vectors"),
    ("solve svr {}.csv", "1,2\n3,2e60\n", "full at residuals"),
    ("solve complexity {}.csv", "1,2\n3,1e200\n", "too"),
    ("solve cdsk {}.csv --clusters 2", "1,2,x\n1,2,y\n1,2,x\n", "median distance is 0"),
    ("solve lpdsk {}.csv", "1,2,\n3,4,\n", ""),
    ("solve simsvm {}.csv --kernels linear", "1,2,x\n7e60,1,y\n", "too large for libsvm"),
    ("predict fit.json {}.csv -o o.csv", "1,2,3,x\n", "2 features"),
    ("predict fit.json {}.csv -o o.csv", "1,nan,x\n", "--missing"),
    ("predict fit.json {}.csv -o o.csv", "1,2,z\n", "label 'z'"),
    ("solve svm d.csv --test {}.csv", "1,2,z\n", "label 'z'"),
    # svmlight
    ("solve svm {}.svm", "1 1:3\nnan 1:1\n", "label is missing"),
    ("solve svr {}.svm", "1 0:3\n", ""),
    # ARFF
    ("solve svm {}.arff", HEAD, "no rows"),
    ("solve svm {}.arff", HEAD + "{0 1, 1 y}\n", "sparse rows"),
    # series
    # NumPy
    ("solve lpboost {}.npz", b"", "empty"),
    ("solve lpboost {}.npz", npz(X=np.ones((4, 3, 2)))[:60], "cannot be read"),
    ("solve lpboost {}.npz", npz(X=np.ones((4, 3, 2))), "labels"),
    ("solve mkl --grams {}.npz", npz(K=[-EYE], y=[0, 1, 0, 1]), "semidefinite"),
    ("solve vkr d.csv --kernels file:{}.npy", npy(EYE), "4 x 4"),
    ("solve cdsk d.csv --similarity {}.npy", npy(-np.eye(12)), "degree 0"),
    ("solve lpdsk d.csv --similarity {}.npy", npy(np.full((12, 12), 1e200)), ""),
    # results and fits
    ("check {}.json d.csv", "{", ""),
    ("check {}.json d.csv", "{}", "not a result"),
    ("check {}.json d.csv", "\x00", ""),
    ("check {}.json d.csv", "[" * 100_000, ""),
    ("check {}.json d.csv", '{"schema": 1, "model": "nobody"}', ""),
    ("check {}.json d.csv", b"\xff\xfe{}", ""),
    ("predict {}.json d.csv -o o.csv", "{}", ""),
    ("report {}.json -o p.html", "{}", "not a result"),
    ("report {}.json -o p.html", '{"model": "svm"}', "not a result"),
    ("price {}.json --data d.csv --kernels rbf:1", "{}", ""),
    ("solve vkr d.csv --kernels poly:1 --start {}.json", "{}", ""),
    # programs and solutions
    ("verify {}.mps", "NAME x\n", "names.json"),
    ("load {}.sol --names p.mps.names.json --data d.csv", "hello\n", "not a solution file"),
    ("load {}.sol --names p.mps.names.json --data d.csv", BINARY, "a binary file"),
    ("load {}.sol --names p.mps.names.json --data d.csv", "Model status\nInfeasible\n",
     "no feasible solution"),
    ("load {}.sol --names p.mps.names.json --data d.csv", "# Objective value = 1\nx 1\n",
     "does not have: x"),
    ("load {}.sol --names p.mps.names.json --data d.csv", "# Objective value = x\n", "got 'x'"),
    ("load {}.sol --names p.mps.names.json --data d.csv", "no solution available\n",
     "no solution"),
    ("load {}.sol --names p.mps.names.json --data d.csv", "Infeasible - objective value 1\n",
     "no feasible"),
    ("load {}.sol --names p.mps.names.json --data d.csv", "c\ns bas 1 1 f f 1\n", "1 rows and 1"),
    ("load p.sol --names {}.json --data d.csv", "{}", ""),
    ("load p.sol --names {}.json --data d.csv", '{"columns": 1, "rows": 2}', ""),
)  # fmt: skip
