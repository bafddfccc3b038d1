NAME radprog FREE
ROWS
 N obj
 L row(0)
 G row(1)
COLUMNS
 MARKER 'MARKER' 'INTORG'
 x(0) obj 10.0
 x(0) row(0) -100000000.0
 MARKER 'MARKER' 'INTEND'
 x(1) obj 0.5
 x(1) row(0) 1.0
 x(1) row(1) 1.0
RHS
 RHS row(1) 1.0
BOUNDS
 LO BND x(0) 0.0
 UP BND x(0) 1.0
 UP BND x(1) 100000000.0
ENDATA
