NAME radprog FREE
ROWS
 N obj
 L row(0)
 L row(1)
 L row(2)
 L row(3)
 L row(4)
COLUMNS
 x(0) obj -4.7
 x(0) row(0) 1e-05
 x(0) row(1) 1e-05
 x(0) row(4) 1.0
 x(1) obj -8.1
 x(1) row(2) 1.0
 x(1) row(3) 1e-05
 x(1) row(4) 1.0
 MARKER 'MARKER' 'INTORG'
 x(2) obj 10.8
 x(2) row(0) -100.0
 x(3) obj 10.0
 x(3) row(2) -10000000.0
 MARKER 'MARKER' 'INTEND'
RHS
 RHS row(1) 6e-05
 RHS row(3) 6.2e-05
 RHS row(4) 3.7
BOUNDS
 LO BND x(2) 0.0
 UP BND x(2) 1.0
 LO BND x(3) 0.0
 UP BND x(3) 1.0
ENDATA
