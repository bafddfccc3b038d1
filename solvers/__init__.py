"""Solvers: conversion of Pyomo models to matrices, and one small adapter for each solver."""
