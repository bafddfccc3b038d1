"""The workers of a sweep: this process, processes of this machine, or other machines."""
