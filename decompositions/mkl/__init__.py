"""Learning kernels with local Rademacher complexity."""
