"""The tolerances of the project: what each is relative to, and what it means."""

UNIT_ROUNDOFF = 2.0**-53  # relative error of one rounded operation
