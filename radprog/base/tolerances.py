"""The tolerances of the models and methods, with their reference sizes and meanings."""

UNIT_ROUNDOFF = 2.0**-53  # relative error of one rounded operation

# Feasibility: what a point may exceed
WEIGHT_EXCESS = 1e-9  # relative excess of a constraint on kernel weights
LOADED_EXCESS = 1e-5  # relative excess over A or out of a ball: solvers meet such rows up to 1e-6
# relative distance that is none: optima of linear programs have many points on the margin
ON_MARGIN = 1e-9
# A vertex that is checked to be the only optimum
TIGHT = 1e-7  # relative distance of a price to its bound, of a weight to its box, that is none
VERTEX_RESIDUAL = 1e-6  # of its equations, in units of the margin
PROVED_GAP = 2.0**-80  # relative gap of an exact pair that is that of its enclosures alone
INNER_WEIGHT = 1e-9  # of a weight, in units of its upper limit, from 0 or from that: it is neither

# What counts as zero
SUPPORT = 1e-9  # share of the largest coefficient or weight below which one counts as zero
WEIGHT_SUPPORT = 1e-3  # weight, relative to 1/n, that counts as support
GAP_FLOOR = 1e-10  # |objective| below this is measured as this in a relative gap
# negative eigenvalue, relative to the largest (asymmetry: to the largest entry)
PSD_TOLERANCE = 1e-8

# Gaps and decreases at which a solve or a step ends
EXPECTED_TOL = 1e-8  # relative gap within which an expected value is known
KNOWN_GAP = 1e-7  # relative gap up to which the value of a run is that of its program
WEIGHT_STEP_GAP = 1e-6  # Frank-Wolfe gap of a finished step, times n
FREE_SLACK = 1e-8  # by which rows with concave parts are loosened; twice as much costs nothing
MASTER_TOLERANCE = 1e-9  # feasibility of the scaled master, primal and dual
PATH_SOLVE_TOL = 1e-11  # relative gap that every solve of a path aims at

# What is compared
PATH_TOL = 1e-9  # relative: lines that differ by less at a point are one there
AGREEMENT = 1e-6  # relative to max(1, |value|): when two objectives agree

# What a solver is told
HIGHS_LEAST = 1e-10  # least feasibility that HiGHS takes
INTERIOR_LEAST = 1e-12  # least tolerance of interior-point methods
INTERIOR_SVM_GAP = 1e-9  # of a machine by an interior-point method
LEAST_DIVISOR = 1e-300  # in place of a 0 that would divide

# What its answer must meet. CLAIM_TOLERANCE is of a point and of what a solver says: by how much a
# row may be violated, or a claimed value differ from the recomputed one. CERTIFIED_GAP is of a
# certificate: how far the recomputed bound may be from the recomputed objective, the default `tol`.
CLAIM_TOLERANCE = 1e-6  # relative to the numbers involved
# a row of numbers this many times smaller than 1 is held to its own size: solvers take 1e-6 for all
LEEWAY = 1e4
CERTIFIED_GAP = 1e-6  # of a certificate, relative to |objective|
CERTIFIED_DIFFERENCE = 1e-9  # the same, absolute
ROW_ROUNDING = 1e-13  # of a recomputed row, relative to the sum of its absolute terms

# What is shown
BINDING = 1e-7  # distance to a bound, relative to the terms of its row, that is none
