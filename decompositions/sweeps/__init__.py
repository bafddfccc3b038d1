"""Sweeps (sets of many fits) and their workers: this process, processes on this machine, or other
machines.
"""
