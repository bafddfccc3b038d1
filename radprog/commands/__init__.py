"""The commands. Each file defines HELP, EXAMPLES, ``add`` for the options, and ``run``.

``run`` returns the exit code. Only ``run`` imports code that solves or draws.
"""
