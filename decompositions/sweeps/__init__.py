"""The workers of a sweep, which is a set of many fits: this process, processes of this machine, or
other machines.
"""
