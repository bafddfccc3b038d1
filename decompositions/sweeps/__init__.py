"""Who works on the units of a sweep: this process, processes of this machine, other machines."""
