"""The tolerances of the models and their methods: what each is relative to, and what it means."""

UNIT_ROUNDOFF = 2.0**-53  # relative error of one rounded operation

# What rounding may do
MONOTONE_RISE = 1e-12  # relative increase of the monitored objective that rounding may cause
STEP_ROUNDING = 1e-14  # gap of a weak learner's step, as a share of its terms
SPHERE_RISE = 1e-9  # relative rise of the objective that a move onto the sphere may cost
QUADRATIC_ROUNDING = 2.0**-50  # of c'Kc, relative to the sum of its absolute terms
BOUND_ROUNDING = 1e-12  # relative: how far two evaluations of one bound may differ
CROSSING = 1e-9  # how far rounding may carry a bound beyond its objective, of the larger of both
CROSSING_FLOOR = 1e-12  # the same where both are next to 0: differences of larger terms
SANDWICH = 1e-6  # by which rounding may break J <= model <= previous J
DCA_SANDWICH = 1e-7  # the same of one step, relative to max(1, |objective|)
BLOCK_RISE = 1e-13  # of the objective by a block of variables, relative to max(1, |objective|)
COUNT_ROUNDING = 1e-9  # of a quotient whose whole part is a number of things
BOX_ROUNDING = 1e-12  # of the number of weights that a box allows
BALL_ROUNDING = 1e-12  # of the norm of a hypothesis, in its own units
FACE_ROUNDING = 1e-13  # of prices on a face of the hulls, relative to the largest score

SINGLE_PRECISION_SUMS = 1e-4  # relative error of a sum of kernel values in single precision

# Feasibility: what a point may exceed
SIMPLEX_SLACK = 1e-10  # slack of the simplex: the tail sums of directions are rounded
WEIGHT_EXCESS = 1e-9  # relative excess of a constraint on kernel weights
BALL_EXCESS = 1e-9  # how far rounding may carry a hypothesis out of its ball, relative
NORM_EXCESS = 1e-8  # relative excess of |w|^2 over A that rounding may leave
LOADED_EXCESS = 1e-5  # relative excess over A or out of a ball: solvers meet such rows up to 1e-6
ORTHOGONALITY = 1e-8  # how far a stored Y may be from its constraint
MAXIMUM_PRINCIPLE = 1e-10  # how far harmonic values may leave [0, 1], or their rows the sum 1
SCORES_MET = 1e-8  # violation of a constraint in scores, relative to its terms, that is none
COLUMN_VIOLATION = 1e-9  # a column whose ratio exceeds 1 by more than this is violated
SHORT_MARGIN = 1e-3  # of a margin from 1, below which its rounding may be what keeps it
LOSS_LEFT = 1e-9  # of an objective, that is lost to such margins
STEP_VIOLATION = 1e-11  # the same of rows and columns of a weak learner's step
STORED_SUM = 1e-9  # how far stored weights may be from their sum, or beyond their box
LOCAL_VIOLATION = 2e-3  # relative violation of a column that is worth a round of a local pricer
EXACT_VIOLATION = 1e-10  # the same of an exact pricer
IMPROVING_COST = 1e-9  # reduced cost, relative to its terms, that is worth a column
# relative distance that is none: optima of linear programs have many points on the margin
ON_MARGIN = 1e-9
# of a vertex that is checked to be the only optimum
TIGHT = 1e-7  # relative distance of a price to its bound, of a weight to its box, that is none
VERTEX_RESIDUAL = 1e-6  # of its equations, in units of the margin
VERTEX_RANK = 1e-10  # reciprocal condition of columns up to which they depend on each other
PROVED_GAP = 2.0**-80  # relative gap of an exact pair that is that of its enclosures alone
TIGHT_MARGIN = 1e-7  # of a margin from 1: such a row may be tight at the vertex next to a point
INNER_WEIGHT = 1e-9  # of a weight, in units of its upper limit, from 0 or from that: it is neither

# What counts as zero
SUPPORT = 1e-9  # share of the largest coefficient or weight below which one counts as zero
CUT_WEIGHT = 1e-12  # share of the sum below which the weight of a cut is rounding
ZERO_MULTIPLIER = 1e-8  # multiplier of a norm that counts as zero
ZERO_MARGIN = 1e-15  # distance below a margin of 0 that is none
ZERO_TRACE = 1e-12  # trace, relative to the largest entry, of a kernel that vanishes
BALL_COEFFICIENT = 1e-9  # coefficients below this share of the radius count as zero
ROW_WEIGHT = 1e-12  # weights of rows below this share of the largest are rounding errors
ZERO_NORM = 1e-15  # |r|^2, as a share of |sum_p d_p Phi(z_p)|^2, that counts as 0
WEIGHT_SUPPORT = 1e-3  # weight, relative to 1/n, that counts as support
EXPANSION_SUPPORT = 1e-12  # norm of a term, relative to the largest, that a predictor leaves out
SHARE_TIE = 1e-12  # difference of two shares that counts as none
SMALLEST_DEGREE = 1e-9  # degree, relative to the median degree, that is called tiny
EQUAL_PENALTIES = 1e-9  # relative difference up to which penalties are equal
SAME_KERNEL = 1e-9  # relative difference of two evaluations of one kernel, of its largest value
DUPLICATE = 1e-12  # relative difference of two kernels that counts as none
SAME_START = 1e-6  # starting points closer than this, relative to their largest entry, are one
SAME_HYPOTHESIS = 1e-9  # relative difference on the training rows of hypotheses that are one
SAME_POINT = 1e-12  # of the largest number, in the rows of points that are one
SAME_PATTERN = 1e-9  # relative difference of patterns that are one
CONSTANT_PATTERN = 1e-8  # deviation, relative to the largest entry, of a constant pattern
EQUAL_FEATURES = 1e-6  # relative spread of features that tell no rows apart
UNIT_DIAGONAL = 1e-6  # how far K(x, x) may be from 1 where local_r is found
NEAR_SPHERE = 1e-3  # relative distance at which a point is tried on the sphere
BEND_FLOOR = 1e-9  # of a weight whose power bends the p-norm
GAP_FLOOR = 1e-10  # |objective| below this is measured as this in a relative gap
DCA_FLOOR = 1e-12  # the same of a decrease by DCA
ZERO_TAIL = 1e-9  # a tail of at most this share of the trace counts as zero
DUAL_AT_BOUND = 1e-6  # share of C within which a dual point counts as at its bound
SMALL_VALUE = 1e-3  # share of its terms below which a value is measured as this share

# Spectra
PATTERN_RIDGE = 1e-12  # on the diagonal of a kernel matrix: overlapping patterns make it singular
# negative eigenvalue, relative to the largest (asymmetry: to the largest entry)
PSD_TOLERANCE = 1e-8
INDEFINITE = 1e-8  # a smallest eigenvalue below -1e-8 of the largest in size is refused
SYMMETRY = 1e-8  # asymmetry, relative to the largest entry, that counts as rounding
ZERO_EIGENVALUE = 1e-12  # eigenvalue, relative to the largest, that counts as zero
ZERO_OF_SIZE = 1e-14  # the same, relative to n times the largest
PATTERN_RANK = 1e-10  # eigenvalues below this share of the largest are rounding errors
FACTOR_RANK = 1e-11  # eigenvalues below this share of their sum are left out of the factor
FINE_FACTOR_RANK = 1e-15  # the same where the optimum is certified
FACTOR_CUT = 1e-13  # eigenvalues below this share of the largest are left out of factors
LEAST_HEIGHT = 1e-6  # of a scale of energies, relative to the sum of the dual point: less is noise
FREE_POINT_RIDGE = 1e-10  # ridge of kernels on the free points, relative to their mean diagonal
CANCELLED_TRACE = 1e-6  # below this share of the trace, trace minus top has lost too many digits
LANCZOS_TOLERANCE = 1e-10  # relative residual of an eigenpair; eigenvalues are better by far
LANCZOS_EXHAUSTED = 1e-6  # relative length of a new direction that rounding errors may have made
LANCZOS_NEXT = 1e-3  # relative residual of the next eigenvalue, for the gap alone
# relative residuals of eigenpairs of a sparse graph, one after other where Lanczos does not end
SPARSE_EIGENPAIRS = (1e-8, 1e-5)
EQUAL_EIGENVALUES = 1e-10  # difference, relative to the largest, of eigenvalues of parts of a graph
HARMONIC_RESIDUAL = 1e-12  # relative, of labels propagated by conjugate gradients
# residuals of eigenvectors, relative to the largest entry of the diagonal:
PROVED_EIGENPAIRS = 3e-9  # where a proof follows
REFINED_EIGENPAIRS = 1e-4  # as long as the weights move
ROUGH_EIGENPAIRS = 1e-4  # where a bandwidth is chosen
SMALLEST_SCALE = 1e-8  # of the largest degree, that a smaller one counts as where it divides
SMALLEST_EIGENGAP = 1e-6  # gap of eigenvalues below which the spectral step is arbitrary
FLAT_CURVATURE = 1e-10  # eigenvalue on the plane, relative to the largest entry, that is zero

SAME_LABELS = 1e-9  # difference of sums of squares within clusters that rounding makes

# Boxes of weights
NO_SIMILARITY = 1e-9  # share of lam by which 2n must lie above it
AT_BOX = 1e-3  # share of the largest weight within which a weight is at it

# Gaps and decreases at which a solve or a step ends
EXPECTED_TOL = 1e-8  # relative gap within which an expected value is known
KNOWN_GAP = 1e-7  # relative gap up to which the value of a run is that of its program
KNOWN_WOLFE_GAP = 1e-8  # Frank-Wolfe gap, relative, within which an expected value is known
FORM_STEP_GAP = 1e-12  # relative gap of a convex step that is exported
SHAPELET_STEP_GAP = 1e-7  # relative gap of a weak learner's convex step
PRICING_GAP = 1e-5  # the same while pricing: DCA only needs descent
COARSE_HINGE_GAP = 1e-5  # of hinge regressions on the leading columns, before those of all
LINE_SEARCH = 1e-9  # of a line search along a step
KINK_RIDGE = 1e-11  # on kernel values among points at kinks, relative to the mean of all
LOSS_STEP_GAP = 1e-9  # gap of a convex step of bounded losses, relative to 1 + |value|
DOUBTFUL_STEP = 1e-6  # such a step that ends above this relative gap is counted
PIECE_GAP = 1e-10  # gap of a convex piece of bounded losses, relative to 1 + |value|
PRUNED = 0.5  # a node within this share of the tolerance is not split
LOSS_DESCENT = 1e-8  # a row ends when its objective falls by no more than this, relative
WEIGHT_STEP_GAP = 1e-6  # Frank-Wolfe gap of a finished step, times n
WEIGHT_DECREASE = 1e-13  # relative decrease at which a step for weights ends
STEP_TOLERANCE = 1e-10  # feasibility of the linear program of a weak learner's step
LAST_STEP_GAP = 1e-11  # of the last convex step, which is exported
EXACT_PIECE_GAP = 1e-10  # of a convex piece of an exact complexity
CRITICAL_RESIDUAL = 1e-6  # of the conditions of Karush, Kuhn and Tucker, relative
CURVATURE_EXCESS = 1e-6  # by which a concave part may lie above its tangent, relative
NUDGES = (1e-16, 1e-12, 1e-8, 1e-4)  # shares of the way inside from a point without derivative
ACTIVE_ROW = 1e-6  # distance to a bound, relative, up to which it may have a multiplier
FREE_SLACK = 1e-8  # by which rows with concave parts are loosened; twice as much costs nothing
FINE_DECREASE = 1e-13  # of a user's own program: such a point is critical to 1e-6 as a rule
DCA_DECREASE = 1e-9  # relative decrease at which a start ends
ARMIJO = 1e-4  # share of the linear decrease that a step must reach
FINEST_NET = 1e-4  # share of the largest radius at which the nets of a bound end
SWEEP_DECREASE = 1e-12  # relative decrease at which coordinate descent has stalled
RESCUE_TOLERANCE = 1e-7  # the same where HiGHS finds no optimum at MASTER_TOLERANCE
MASTER_TOLERANCE = 1e-9  # feasibility of the scaled master, primal and dual
PAIR_DOUBT = 2.0**-96  # relative error of sums of products of pairs of floats
PAIR_PIVOT = 2.0**-60  # relative to its row or column: smaller entries of a dictionary are none
SMALLEST_PIVOT = 1e-7  # entry of a row of the dense simplex method that may enter
PIVOT_DOUBT = 1e-7  # relative difference of a pivot by row and by column: the inverse is too old
SMALLEST_WEIGHT = 1e-4  # of the steepest edges
CURVATURE_RIDGES = (1e-9, 1e-6, 1e-3)  # of a singular curvature, more where the program fails
MACHINE_INTERIOR_GAPS = (1e-9, 1e-12)  # of a machine by the interior-point method, one after other
MACHINE_GAP = 1e-8  # of a machine where no other gap is asked for
SHOWN_MACHINE_GAP = 1e-4  # of a machine that a figure shows
GLOBAL_FORM_GAP = 1e-6  # of the global optimum that comes with a form
CLUSTER_DECREASE = 1e-7  # relative decrease of the objective at which a clustering ends
ROUND_DECREASE = 1e-5  # the same of a round of alternation over many points
LABEL_DECREASE = 1e-9  # the same of a propagation of labels
PATH_SOLVE_TOL = 1e-11  # relative gap that every solve of a path aims at
HYBRID_SWITCH = 1e-4  # hybrid: relative decrease of an update below which exact steps take over
VERTEX_ACCURACY = 1e-3  # relative gap of a vertex's machines: vertices are only put in order
LEAST_ACCURACY = 1e-12  # relative gap below which no machine is asked for more
STALLED_GAP = 1e-5  # relative gap up to which rounding may hold up the exchange
MACHINE_LIBSVM_TOLERANCE = 1e-7  # violation at which libsvm ends, of a machine of mkl
LIBSVM_TOLERANCE = 1e-8  # the same of svm and simsvm
FIXED_POINT_STEP = 1e-13  # relative step below which a fixed point is reached

# What is compared
PATH_TOL = 1e-9  # relative: lines that differ by less at a point are one there
AGREEMENT = 1e-6  # relative to max(1, |value|): when two objectives agree

# What a solver is told
SMALL_PRICE = 1e-3  # of a coefficient: below it a program says its units
HIGHS_LEAST = 1e-10  # least feasibility that HiGHS takes
HIGHS_ENTRY = 1e-12  # entries of a matrix below it are 0 to HiGHS
HIGHS_REGULARISATION = (0.0, 1e-7, 1e-6)  # of a quadratic program, tried one after the other
MIP_GAP = 1e-9  # relative gap at which HiGHS ends a search
MIP_ABSOLUTE_GAP = 1e-12  # the same whatever the size of the objective; its own is 1e-6
INTERIOR_LEAST = 1e-12  # least tolerance of interior-point methods
IPOPT_TOLERANCE = 1e-9  # where none is asked for
CLARABEL_TOLERANCE = 1e-8  # where none is asked for
CLARABEL_GAP = 1e-6  # relative to max(1, |objective|), up to which Clarabel is believed
CONE_RANK = 1e-14  # eigenvalues of a quadratic row, relative to the largest, that count as zero
SCIP_FEASIBILITY = 1e-8  # where none is asked for: SCIP's own is as large as CLAIM_TOLERANCE
SCIP_OWN_FEASIBILITY = 1e-6  # where the finer one makes SCIP give up
SIMPLEX_QP_GAP = 1e-9  # of a quadratic program over the simplex
NEAREST_GAP = 1e-10  # of the nearest point of a polytope
BATCHED_QP_GAP = 1e-9  # of a batch of hinges, relative to 1 + |value|
INTERIOR_SVM_GAP = 1e-9  # of a machine by an interior-point method
BOXED_SVM_GAP = 1e-8  # of a machine without bias, at most
LIBSVM_DEFAULT = 1e-3  # violation at which libsvm ends unless told otherwise
PROOF_TOLERANCE = 1e-10  # of the weights that prove a conflict
WARM_RIDGE = 1e-13  # of a warm machine's kernel, relative to the mean of its diagonal
DIAGONAL_LIFT = 1e-14  # added to a matrix singular to rounding, relative to its largest entry
CONE_ROUNDING = 1e-22  # share of u_0^2 below which u_0^2 - |u_1|^2 is rounding
LEAST_DIVISOR = 1e-300  # in place of a 0 that would divide

# What its answer must meet
CLAIM_TOLERANCE = 1e-6  # of the word "optimal": relative to the numbers involved
# a row of numbers this many times smaller than 1 is held to its own size: solvers take 1e-6 for all
LEEWAY = 1e4
CERTIFIED_GAP = 1e-6  # of a certificate, relative to |objective|
CERTIFIED_DIFFERENCE = 1e-9  # the same, absolute
# duality gap from which on duals speak against the word "optimal", relative to max(1, |objective|)
PROOF_GAP = 1e-5
ROW_ROUNDING = 1e-13  # of a recomputed row, relative to the sum of its absolute terms
CONVEXITY = 1e-8  # negative eigenvalue of a convex matrix, relative to its largest entry
TRIAL_VALUE = 1e-5  # error of a test-solve's objective and duals
TRIAL_POINT = 3e-3  # of its point: the square root of the objective's
AT_BOUND = 1e-9  # distance to a bound, relative to the terms of the value, that is none
NO_COST = 1e-9  # reduced cost, relative to the largest, that is none
ELASTIC_PRICE = 1e-9  # multiplier of the elastic program, between 0 and 1 for rows, that counts
CONDITION_SHARE = 1e-9  # of the largest weighted condition that counts
CONDITION_RANK = 1e-11  # smallest singular value, relative to the largest, that is none
CONDITION_RANK_GAP = 1e-3  # between that value and the next
PROOF_RESIDUAL = 1e-7  # of the weighted conditions, relative to their largest coefficient

# What is shown
RECOMPUTED = 1e-9  # relative to max(|value|, GAP_FLOOR), absolute for gaps: between two machines
RECOMPUTED_DETAIL = 1e-7  # of the test error that a result claims, relative
DETAIL_FLOOR = 1e-12  # absolute difference of test errors that is none
VERIFIED_VIOLATION = 1e-5  # absolute, of a row: some solvers print six digits of their point
SCORE_TIE = 1e-12  # mean scores this close are equal: they differ by the order of summation
ANALYSIS_TOLERANCE = 1e-9  # of the simplex method: prices of a program can be small
BINDING = 1e-7  # distance to a bound, relative to the terms of its row, that is none
BASIS_PRICE = (
    1e-9  # multiplier of a basis, relative to the largest or the largest cost, that counts
)
POINT_PRICE = 1e-6  # the same of a point that comes from no basis
ZERO_SHOWN = 1e-9  # multiplier, relative to the largest, that rounding left
SHOWN_SHARE = 5e-4  # of the weights: less would be written as 0.0 %
SAME_ON_AXIS = 1e-6  # relative difference that no scale shows
AXIS_MARGIN = 1e-3  # what an axis shows around such values, relative
