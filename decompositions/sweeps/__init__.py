"""Sweeps (sets of many fits) and their workers: this process, processes of this machine, or other
machines.
"""
