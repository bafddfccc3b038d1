"""The tolerances of the models and methods, with their reference sizes and meanings."""

UNIT_ROUNDOFF = 2.0**-53  # relative error of one rounded operation

# What rounding may do
CROSSING = 1e-9  # how far rounding may carry a bound beyond its objective, of the larger of both
CROSSING_FLOOR = 1e-12  # the same where both are next to 0: differences of larger terms
SANDWICH = 1e-6  # by which rounding may break J <= model <= previous J
BLOCK_RISE = 1e-13  # of the objective by a block of variables, relative to max(1, |objective|)
COUNT_ROUNDING = 1e-9  # of a quotient whose whole part is a number of things


# Feasibility: what a point may exceed
WEIGHT_EXCESS = 1e-9  # relative excess of a constraint on kernel weights
LOADED_EXCESS = 1e-5  # relative excess over A or out of a ball: solvers meet such rows up to 1e-6
STORED_SUM = 1e-9  # how far stored weights may be from their sum, or beyond their box
# relative distance that is none: optima of linear programs have many points on the margin
ON_MARGIN = 1e-9
# of a vertex that is checked to be the only optimum
TIGHT = 1e-7  # relative distance of a price to its bound, of a weight to its box, that is none
VERTEX_RESIDUAL = 1e-6  # of its equations, in units of the margin
VERTEX_RANK = 1e-10  # reciprocal condition of columns up to which they depend on each other
PROVED_GAP = 2.0**-80  # relative gap of an exact pair that is that of its enclosures alone
INNER_WEIGHT = 1e-9  # of a weight, in units of its upper limit, from 0 or from that: it is neither

# What counts as zero
SUPPORT = 1e-9  # share of the largest coefficient or weight below which one counts as zero
ROW_WEIGHT = 1e-12  # weights of rows below this share of the largest are rounding errors
WEIGHT_SUPPORT = 1e-3  # weight, relative to 1/n, that counts as support
SAME_KERNEL = 1e-9  # relative difference of two evaluations of one kernel, of its largest value
GAP_FLOOR = 1e-10  # |objective| below this is measured as this in a relative gap
ZERO_TAIL = 1e-9  # a tail of at most this share of the trace counts as zero

# Spectra
# negative eigenvalue, relative to the largest (asymmetry: to the largest entry)
PSD_TOLERANCE = 1e-8
SYMMETRY = 1e-8  # asymmetry, relative to the largest entry, that counts as rounding
ZERO_EIGENVALUE = 1e-12  # eigenvalue, relative to the largest, that counts as zero
ZERO_OF_SIZE = 1e-14  # the same, relative to n times the largest


# Gaps and decreases at which a solve or a step ends
EXPECTED_TOL = 1e-8  # relative gap within which an expected value is known
KNOWN_GAP = 1e-7  # relative gap up to which the value of a run is that of its program
SHAPELET_STEP_GAP = 1e-7  # relative gap of a weak learner's convex step
DOUBTFUL_STEP = 1e-6  # a convex step of bounded losses that ends above this relative gap is counted
WEIGHT_STEP_GAP = 1e-6  # Frank-Wolfe gap of a finished step, times n
CURVATURE_EXCESS = 1e-6  # by which a concave part may lie above its tangent, relative
FREE_SLACK = 1e-8  # by which rows with concave parts are loosened; twice as much costs nothing
FINE_DECREASE = 1e-13  # of a user's own program: such a point is critical to 1e-6 as a rule
MASTER_TOLERANCE = 1e-9  # feasibility of the scaled master, primal and dual
PATH_SOLVE_TOL = 1e-11  # relative gap that every solve of a path aims at
LIBSVM_TOLERANCE = 1e-8  # violation at which libsvm ends, of svm and simsvm

# What is compared
PATH_TOL = 1e-9  # relative: lines that differ by less at a point are one there
AGREEMENT = 1e-6  # relative to max(1, |value|): when two objectives agree

# What a solver is told
HIGHS_LEAST = 1e-10  # least feasibility that HiGHS takes
INTERIOR_LEAST = 1e-12  # least tolerance of interior-point methods
CONE_RANK = 1e-14  # eigenvalues of a quadratic row, relative to the largest, that count as zero
BATCHED_QP_GAP = 1e-9  # of a batch of hinges, relative to 1 + |value|
INTERIOR_SVM_GAP = 1e-9  # of a machine by an interior-point method
DIAGONAL_LIFT = 1e-14  # added to a matrix singular to rounding, relative to its largest entry
LEAST_DIVISOR = 1e-300  # in place of a 0 that would divide

# What its answer must meet
CLAIM_TOLERANCE = 1e-6  # of the word "optimal": relative to the numbers involved
# a row of numbers this many times smaller than 1 is held to its own size: solvers take 1e-6 for all
LEEWAY = 1e4
CERTIFIED_GAP = 1e-6  # of a certificate, relative to |objective|
CERTIFIED_DIFFERENCE = 1e-9  # the same, absolute
ROW_ROUNDING = 1e-13  # of a recomputed row, relative to the sum of its absolute terms

# What is shown
BINDING = 1e-7  # distance to a bound, relative to the terms of its row, that is none
ZERO_SHOWN = 1e-9  # multiplier, relative to the largest, that rounding left


def relative_gap(objective: float | None, bound: float | None) -> float | None:
    """The relative gap |objective - bound| / max(|objective|, 1e-10), or None if either number is
    missing.
    """
    if objective is None or bound is None:
        return None
    return abs(objective - bound) / max(abs(objective), GAP_FLOOR)
