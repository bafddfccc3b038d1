"""The commands, a file each: HELP and EXAMPLES, ``add`` its options, ``run`` it to an exit code.
What solves or draws is imported by ``run`` alone."""
