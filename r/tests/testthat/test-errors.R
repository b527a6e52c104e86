test_that("bad options are R errors that say what to do", {
  x <- swiss_roll(50)
  expect_error(fit(x, knn = 0), "knn")
  expect_error(fit(x, knn = "many"), "knn is \"many\"")
  expect_error(fit(x, knn = c(5, 6)), "knn")
  expect_error(fit(x, n_neighbors = 5), "did you mean 'knn'")
  expect_error(embed_points(x, method = "umap", harnack = 2), "harnack is not used by umap")
  expect_error(embed_points(x, method = "no-such"), "there is no method named 'no-such'")
  expect_error(fit(x, 5), "options are given by name")
  expect_error(heatgeo(x, seed = -1), "seed is -1")
  expect_error(heatgeo(x, threads = 1.5), "threads is 1.5")
})

test_that("bad data are R errors", {
  expect_error(fit(data.frame(a = 1:3, b = letters[1:3])), "columns of x that are not numbers: b")
  expect_error(fit("text"), "give a numeric matrix")
  x <- swiss_roll(30)
  x[4, 2] <- NA
  expect_error(fit(x), "row")
  expect_error(fit(matrix(numeric(), 0, 3)))
  expect_error(fit(matrix(1:6, 2), input = "distances"), "square")
  expect_error(heat_distances(swiss_roll(30), from = 31), "from 1 to 30")
  expect_error(heat_distances(swiss_roll(30), from = "nobody"), "no row is named 'nobody'")
  expect_error(load_model(tempfile()), "gtm|open|file")
})

test_that("odd data do not crash", {
  expect_error(fit(matrix(1, 1, 3)), "at least 2 points")
  expect_true(all(is.finite(suppressWarnings(fit(matrix(1:6, 2)))$embedding)))
  expect_true(all(is.finite(suppressWarnings(fit(matrix(1, 20, 3)))$embedding)))
  two <- rbind(swiss_roll(40), swiss_roll(40) + 1e4)
  expect_true(all(is.finite(suppressWarnings(fit(unname(two)))$embedding)))
})
