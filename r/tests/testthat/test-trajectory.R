along <- seq(0, 3, length.out = 200)
set.seed(2)
curve <- cbind(along, sin(along), cos(2 * along)) + rnorm(600, sd = 0.02)

test_that("pseudotime orders a curve from its root", {
  order <- pseudotime(curve, root = 1, threads = 1, progress = FALSE)
  expect_gt(stats::cor(order$pseudotime, along, method = "spearman"), 0.98)
  expect_equal(range(order$pseudotime), c(0, 1))
  expect_equal(unname(rowSums(order$fates)), rep(1, 200))
  expect_named(order$milestone_network, c("from", "to", "length", "directed"))
  expect_named(order$progressions, c("cell_id", "from", "to", "percentage"))
  expect_output(print(order), "Order of 200 cells")
})

test_that("an interval comes with bootstrap", {
  order <- pseudotime(curve, root = 1, bootstrap = 5, threads = 1, progress = FALSE)
  expect_true(all(order$low <= order$high))
})

test_that("without a root, ends of the curve are proposed", {
  expect_message(rows <- pseudotime(curve, threads = 1, progress = FALSE), "no root was given")
  expect_true(any(rows <= 20) && any(rows >= 181))
})

test_that("cells of another component are NA, with a warning", {
  two <- rbind(curve, curve + 1000)
  warnings <- capture_warnings(order <- pseudotime(two, root = 1, threads = 1, progress = FALSE))
  expect_match(warnings, "200 of 400 cells lie in other components", all = FALSE)
  expect_equal(sum(is.na(order$pseudotime)), 200)
})

test_that("a root that is not there is refused", {
  expect_error(pseudotime(curve, root = 999), "from 1 to 200")
})
