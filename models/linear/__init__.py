"""Linear models with an l1 penalty (Dedieu, Mazumder, Wang 2022)."""
