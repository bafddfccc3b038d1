NAME radprog FREE
ROWS
 N obj
 L row(0)
COLUMNS
 MARKER 'MARKER' 'INTORG'
 x(0) obj -860.0
 x(0) row(0) 859945925.0
 x(1) obj -632.0
 x(1) row(0) 630232168.0
 x(2) obj -978.0
 x(2) row(0) 976296749.0
 x(3) obj -818.0
 x(3) row(0) 818899204.0
 x(4) obj -627.0
 x(4) row(0) 626743763.0
 x(5) obj -756.0
 x(5) row(0) 753273541.0
 MARKER 'MARKER' 'INTEND'
RHS
 RHS row(0) 1383505706.0
BOUNDS
 LO BND x(0) 0.0
 UP BND x(0) 1.0
 LO BND x(1) 0.0
 UP BND x(1) 1.0
 LO BND x(2) 0.0
 UP BND x(2) 1.0
 LO BND x(3) 0.0
 UP BND x(3) 1.0
 LO BND x(4) 0.0
 UP BND x(4) 1.0
 LO BND x(5) 0.0
 UP BND x(5) 1.0
ENDATA
