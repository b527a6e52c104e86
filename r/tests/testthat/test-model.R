test_that("new rows have places, training rows their own", {
  x <- swiss_roll(200)
  map <- fit(x[1:150, ])
  places <- predict(map, x, threads = 1)
  expect_equal(rownames(places), rownames(x))
  expect_identical(unname(places[1:150, ]), unname(map$embedding))
  expect_identical(predict(map, x[160, , drop = FALSE], threads = 1), places[160, , drop = FALSE])
})

test_that("columns are matched by name", {
  x <- swiss_roll(150)
  map <- fit(x[1:100, ])
  expect_identical(predict(map, x[101:150, c("c", "a", "b")]), predict(map, x[101:150, ]))
  expect_error(predict(map, x[101:150, c("a", "b")]), "lacks columns of the map: c")
})

test_that("a model goes through its file", {
  x <- swiss_roll(150)
  map <- fit(x[1:100, ])
  path <- model_file()
  save_model(map, path)
  again <- load_model(path)
  expect_identical(unname(predict(again, unname(x[101:150, ]))), unname(predict(map, x[101:150, ])))
  expect_identical(again$chosen$time, map$chosen$time)
  # Names of columns are in the file.
  expect_identical(unname(predict(again, x[101:150, 3:1])), unname(predict(map, x[101:150, ])))
  expect_error(predict(again, x[101:150, 1:2]), "lacks columns of the map: c")
  unlink(path)
})

test_that("a loaded map has a row for each training row, equal ones too", {
  x <- swiss_roll(100)[c(1:100, 1:20), ]
  map <- suppressWarnings(fit(x)) # of equal rows
  path <- model_file()
  save_model(map, path)
  expect_identical(unname(load_model(path)$embedding), unname(map$embedding))
  unlink(path)
})

test_that("new rows of maps of distances, neighbours and graphs are given by theirs to the training rows", {
  x <- swiss_roll(150)
  d <- as.matrix(stats::dist(x))
  from_points <- predict(fit(x[1:120, ]), x[121:150, ])
  map <- fit(stats::as.dist(d[1:120, 1:120]))
  places <- predict(map, d[121:150, 1:120])
  expect_equal(rownames(places), rownames(x)[121:150])
  expect_gt(stats::cor(c(stats::dist(places)), c(stats::dist(from_points))), 0.99)
  expect_identical(unname(predict(map, d[1:5, 1:120])), unname(map$embedding[1:5, ]))
  expect_error(predict(map, x[121:150, ]), "120")

  known <- d[121:150, 1:120]
  known[t(apply(known, 1, rank)) > 12] <- 0
  expect_equal(predict(map, Matrix::Matrix(known, sparse = TRUE)), places)

  order <- t(apply(d[1:120, 1:120], 1, order))[, 2:31]
  lists <- list(index = order, distance = t(vapply(1:120, function(i) d[i, order[i, ]], numeric(30))))
  map <- suppressWarnings(fit(lists))
  expect_identical(unname(predict(map, d[1:5, 1:120])), unname(map$embedding[1:5, ]))
  nearest <- map$embedding[apply(d[121:150, 1:120], 1, which.min), ]
  gaps <- sqrt(rowSums((predict(map, d[121:150, 1:120]) - nearest)^2))
  expect_lt(stats::median(gaps), 0.1 * max(stats::dist(map$embedding)))

  weights <- exp(-d^2 / 8) * (d < 6) * (d > 0)
  graph <- suppressWarnings(fit(Matrix::Matrix(weights[1:120, 1:120], sparse = TRUE), input = "affinities"))
  places <- predict(graph, weights[121:150, 1:120])
  for (i in 1:30) {
    joined <- graph$embedding[weights[120 + i, 1:120] > 0, , drop = FALSE]
    expect_true(all(places[i, ] >= apply(joined, 2, min) - 1e-9 & places[i, ] <= apply(joined, 2, max) + 1e-9), label = paste("row", i))
  }
  path <- model_file()
  save_model(graph, path)
  expect_identical(unname(predict(load_model(path), weights[121:150, 1:120])), unname(places))
  unlink(path)
})

test_that("a model that went through saveRDS says so", {
  map <- fit(swiss_roll(60))
  path <- model_file()
  saveRDS(map, path)
  expect_error(predict(readRDS(path), swiss_roll(5)), "save_model")
  unlink(path)
})
