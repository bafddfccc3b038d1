Model status
Optimal

# Primal solution values
Feasible
Objective 0.0057137125832
# Columns 30
alpha_plus(0.0) 0
alpha_plus(0.1) 0
alpha_plus(0.2) 0
alpha_plus(0.3) 0
alpha_plus(0.4) 0
alpha_plus(0.5) 0
alpha_plus(1.0) 0
alpha_plus(1.1) 0
alpha_plus(1.2) 0
alpha_plus(1.3) 1.2620413080769
alpha_plus(1.4) 0
alpha_plus(1.5) 0.2039569172578
alpha_minus(0.0) 0
alpha_minus(0.1) 0
alpha_minus(0.2) 0
alpha_minus(0.3) 0
alpha_minus(0.4) 0
alpha_minus(0.5) 0
alpha_minus(1.0) 0.4018141917501
alpha_minus(1.1) 0
alpha_minus(1.2) 0.783577960125
alpha_minus(1.3) 0
alpha_minus(1.4) 0
alpha_minus(1.5) 0
shortfall(0) 0
shortfall(1) 0
shortfall(2) 0
shortfall(3) 0
shortfall(4) 0
shortfall(5) 0
# Rows 6
margin(0) 1.5442327488841
margin(1) 1
margin(2) 1
margin(3) 4.6922047029706
margin(4) 1
margin(5) 1

# Dual solution values
Feasible
# Columns 30
alpha_plus(0.0) 0.0026900979344
alpha_plus(0.1) 0.002420773202
alpha_plus(0.2) 0.0027308287632
alpha_plus(0.3) 0.0004687708353
alpha_plus(0.4) 0.0010430512286
alpha_plus(0.5) 0.0005970078731
alpha_plus(1.0) 0.0043099745947
alpha_plus(1.1) 0.0037061590128
alpha_plus(1.2) 0.0043099745947
alpha_plus(1.3) 0
alpha_plus(1.4) 0.0009133817884
alpha_plus(1.5) 0
alpha_minus(0.0) 0.000668024324
alpha_minus(0.1) 0.0009373490564
alpha_minus(0.2) 0.0006272934952
alpha_minus(0.3) 0.0028893514231
alpha_minus(0.4) 0.0023150710298
alpha_minus(0.5) 0.0027611143853
alpha_minus(1.0) 0
alpha_minus(1.1) 0.0006038155819
alpha_minus(1.2) 0
alpha_minus(1.3) 0.0043099745947
alpha_minus(1.4) 0.0033965928063
alpha_minus(1.5) 0.0043099745947
shortfall(0) 0.1666666666667
shortfall(1) 0.1645294819395
shortfall(2) 0.1659573148472
shortfall(3) 0.1666666666667
shortfall(4) 0.1640227788848
shortfall(5) 0.1664433784121
# Rows 6
margin(0) 0
margin(1) 0.0021371847272
margin(2) 0.0007093518195
margin(3) 0
margin(4) 0.0026438877819
margin(5) 0.0002232882546

# Basis
HiGHS_basis_file v2
Valid
# Columns 30
alpha_plus(0.0) 0
alpha_plus(0.1) 0
alpha_plus(0.2) 0
alpha_plus(0.3) 0
alpha_plus(0.4) 0
alpha_plus(0.5) 0
alpha_plus(1.0) 0
alpha_plus(1.1) 0
alpha_plus(1.2) 0
alpha_plus(1.3) 1
alpha_plus(1.4) 0
alpha_plus(1.5) 1
alpha_minus(0.0) 0
alpha_minus(0.1) 0
alpha_minus(0.2) 0
alpha_minus(0.3) 0
alpha_minus(0.4) 0
alpha_minus(0.5) 0
alpha_minus(1.0) 1
alpha_minus(1.1) 0
alpha_minus(1.2) 1
alpha_minus(1.3) 0
alpha_minus(1.4) 0
alpha_minus(1.5) 0
shortfall(0) 0
shortfall(1) 0
shortfall(2) 0
shortfall(3) 0
shortfall(4) 0
shortfall(5) 0
# Rows 6
margin(0) 1
margin(1) 0
margin(2) 0
margin(3) 1
margin(4) 0
margin(5) 0
