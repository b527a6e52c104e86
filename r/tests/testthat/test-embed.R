test_that("a map has the row names of the data and the class geotherm", {
  x <- swiss_roll()
  map <- fit(x)
  expect_s3_class(map, "geotherm")
  expect_equal(dim(map$embedding), c(200L, 2L))
  expect_equal(rownames(map$embedding), rownames(x))
  expect_true(all(is.finite(map$embedding)))
  expect_output(print(map), "200 points in 2 dimensions")
})

test_that("the same seed gives the same bits for any number of threads", {
  x <- swiss_roll()
  expect_identical(heatgeo(x, threads = 1)$embedding, heatgeo(x, threads = 4)$embedding)
})

test_that("data frames, integer and sparse matrices are the same points", {
  x <- round(swiss_roll(120) * 100)
  plain <- fit(x)$embedding
  whole <- x
  storage.mode(whole) <- "integer"
  expect_identical(fit(as.data.frame(x))$embedding, plain)
  expect_identical(fit(whole)$embedding, plain)
  expect_identical(fit(Matrix::Matrix(x, sparse = TRUE))$embedding, plain)
})

test_that("every method makes a map", {
  x <- swiss_roll(80)
  for (method in setdiff(map_methods()$name, "mds")) {
    map <- suppressWarnings(embed_points(x, method = method, threads = 1, progress = FALSE)) # of a perplexity cut down
    expect_true(all(is.finite(map$embedding)), label = method)
    expect_equal(nrow(map$embedding), 80L, label = method)
  }
})

test_that("distances and lists of neighbours stand in for points", {
  x <- swiss_roll(100)
  from_dist <- fit(stats::dist(x))
  expect_equal(rownames(from_dist$embedding), rownames(x))
  d <- as.matrix(stats::dist(x))
  index <- t(apply(d, 1, order))[, 2:31]
  distance <- t(apply(d, 1, sort))[, 2:31]
  lists <- list(
    list(nn.index = index, nn.dist = distance), # FNN
    list(index = index, distance = distance), # BiocNeighbors
    list(idx = index, dist = distance) # uwot
  )
  maps <- lapply(lists, function(list) suppressWarnings(fit(list))$embedding) # of lists that end early
  expect_equal(unname(maps[[1]]), unname(maps[[2]]))
  expect_equal(unname(maps[[1]]), unname(maps[[3]]))
})

test_that("a graph stands in for points", {
  ring <- Matrix::sparseMatrix(i = 1:60, j = c(2:60, 1), x = 1, dims = c(60, 60))
  ring <- ring + Matrix::t(ring)
  map <- fit(ring, input = "affinities")
  radius <- sqrt(rowSums(map$embedding^2))
  expect_lt(diff(range(radius)) / mean(radius), 0.2)
  expect_error(predict(map, matrix(0, 1, 3)), "60")
})

test_that("distances from rows are rows of all distances", {
  x <- swiss_roll(90)
  all <- heat_distances(x, time = 5, threads = 1)
  expect_equal(dim(all), c(90L, 90L))
  expect_equal(all, t(all), tolerance = 1e-8)
  some <- heat_distances(x, from = c("cell3", "cell70"), time = 5, threads = 1)
  expect_equal(rownames(some), c("cell3", "cell70"))
  expect_gt(stats::cor(some[1, ], all["cell3", ]), 0.99)
})
