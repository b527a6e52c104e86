test_that("scores are between 0 and 1, and 1 for the points themselves", {
  x <- swiss_roll(120)[, 1:2]
  groups <- cut(x[, 1], 3)
  scores <- score_map(x, points = x, labels = groups, truth = stats::dist(x), threads = 1)
  expect_equal(scores[["trustworthiness"]], 1)
  expect_equal(scores[["neighbors_kept"]], 1)
  expect_equal(scores[["spearman"]], 1)
  expect_true(all(scores >= 0 & scores <= 1 + 1e-12))
  expect_error(score_map(x), "give points, labels or truth")
  expect_error(score_map(x, labels = 1:3), "labels has 3 rows")
})
