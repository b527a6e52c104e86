library(testthat)
library(geotherm)

test_check("geotherm")
