NAME radprog FREE
ROWS
 N obj
 L row(0)
COLUMNS
 MARKER 'MARKER' 'INTORG'
 x(0) obj -3.0
 x(0) row(0) -1.0
 x(1) obj -1.0
 x(1) row(0) -3.0
 MARKER 'MARKER' 'INTEND'
RHS
 RHS row(0) -1.0
BOUNDS
 FR BND x(0)
 FR BND x(1)
ENDATA
