# Lists of neighbours and graphs as other packages make them, each beside what stands for it here.
x <- swiss_roll(150)

test_that("FNN's lists of neighbours serve", {
  skip_if_not_installed("FNN")
  found <- FNN::get.knn(x, k = 40)
  d <- as.matrix(stats::dist(x))
  by_hand <- list(nn.index = unname(t(apply(d, 1, order))[, 2:41]), nn.dist = unname(t(apply(d, 1, sort))[, 2:41]))
  expect_equal(suppressWarnings(fit(found))$embedding, suppressWarnings(fit(by_hand))$embedding, tolerance = 1e-6)
})

test_that("BiocNeighbors' and uwot's lists of neighbours are those of FNN", {
  skip_if_not_installed("BiocNeighbors")
  skip_if_not_installed("FNN")
  expected <- suppressWarnings(fit(FNN::get.knn(x, k = 40)))$embedding
  found <- BiocNeighbors::findKNN(unname(x), k = 40)
  expect_equal(suppressWarnings(fit(found))$embedding, expected, tolerance = 1e-6)
  # uwot counts a point as its own first neighbour.
  with_itself <- list(idx = cbind(seq_len(150), found$index), dist = cbind(0, found$distance))
  expect_equal(suppressWarnings(fit(with_itself))$embedding, expected, tolerance = 1e-6)
})

test_that("an igraph is its matrix of weights", {
  skip_if_not_installed("igraph")
  ring <- igraph::make_ring(40)
  igraph::V(ring)$name <- paste0("v", 1:40)
  map <- fit(ring)
  expect_equal(rownames(map$embedding), paste0("v", 1:40))
  expect_identical(unname(map$embedding), unname(fit(igraph::as_adjacency_matrix(ring), input = "affinities")$embedding))
  igraph::E(ring)$weight <- c(rep(1, 20), rep(0.2, 20))
  weighted <- fit(ring)
  expect_gt(max(abs(weighted$embedding - map$embedding)), 0.1)
  expect_identical(
    unname(weighted$embedding),
    unname(fit(igraph::as_adjacency_matrix(ring, attr = "weight"), input = "affinities")$embedding)
  )
})

test_that("sparse matrices of every class are the same points", {
  counts <- round(abs(swiss_roll(100)))
  counts[counts < 4] <- 0
  plain <- suppressWarnings(fit(counts))$embedding
  sparse <- as(Matrix::Matrix(counts, sparse = TRUE), "CsparseMatrix")
  expect_s4_class(sparse, "dgCMatrix")
  for (class in c("CsparseMatrix", "RsparseMatrix", "TsparseMatrix")) {
    expect_identical(suppressWarnings(fit(as(sparse, class)))$embedding, plain, label = class)
  }
})

test_that("a large sparse matrix is reduced, not made dense", {
  set.seed(6)
  columns <- 2e6 # 300 x 2,000,000 doubles would take 4.8 GB
  side <- rep(0:1, each = 150)
  i <- rep(1:300, each = 40)
  j <- sample(1000, length(i), TRUE) + 1000 * side[i]
  wide <- Matrix::sparseMatrix(i = i, j = j, x = 1, dims = c(300, columns))
  said <- testthat::capture_warnings(map <- fit(wide, knn = 10))
  expect_match(said, "reduced to 50 principal components", all = FALSE)
  centres <- rbind(colMeans(map$embedding[side == 0, ]), colMeans(map$embedding[side == 1, ]))
  nearest <- apply(map$embedding, 1, function(place) which.min(colSums((t(centres) - place)^2)))
  expect_gt(mean(nearest == side + 1), 0.95)
  # New rows have the columns of the data, and training rows their own places.
  expect_identical(unname(predict(map, wide[c(3, 200), ])), unname(map$embedding[c(3, 200), ]))
})

test_that("threads come from the argument, else from the option", {
  old <- options(geotherm.threads = 1.5)
  on.exit(options(old))
  expect_error(heatgeo(x), "threads is 1.5")
  expect_s3_class(heatgeo(x, threads = 1), "geotherm")
  options(geotherm.threads = 2)
  expect_identical(heatgeo(x)$embedding, heatgeo(x, threads = 1)$embedding)
})

test_that("long runs draw a progress bar on the message stream and wipe it; short runs do not", {
  drawn <- function(...) paste(utils::capture.output(invisible(heatgeo(..., threads = 1)), type = "message"), collapse = "\n")
  expect_equal(drawn(x, progress = TRUE), "")
  skip_on_cran()
  long <- swiss_roll(20000)
  said <- drawn(long, progress = TRUE)
  expect_match(said, "\r[=", fixed = TRUE)
  expect_match(said, "\r *\r$")
  expect_equal(drawn(long, progress = FALSE), "")
})

test_that("a run leaves R's own random numbers and options as they were", {
  set.seed(7)
  expected <- stats::runif(1)
  set.seed(7)
  before <- options()
  fit(x)
  embed_points(x, method = "umap", threads = 1, progress = FALSE)
  expect_identical(stats::runif(1), expected)
  expect_identical(options(), before)
})
