# Whatever is given, the answer is a map or an error of R's own kind: a crash would end this process and with it the test.
answers <- function(call) {
  result <- tryCatch(suppressWarnings(suppressMessages(call())), error = function(condition) condition)
  if (inherits(result, "error")) {
    return(inherits(result, "simpleError") && all(nzchar(conditionMessage(result))))
  }
  if (inherits(result, "geotherm")) result <- result$embedding
  if (is.numeric(result)) all(is.finite(result)) else TRUE
}

x <- swiss_roll(60)

odd_values <- list(
  nothing = NULL, missing = NA, none = numeric(), text = "text", list = list(), of_lists = list(list()), a_function = mean,
  complex = x + 1i, raw = as.raw(1:4), a_factor = factor(letters), a_date = Sys.Date(), deep = array(0, c(3, 3, 3)),
  a_pointer = methods::new("externalptr"), an_environment = globalenv(), formula = y ~ x, empty_frame = data.frame(),
  text_matrix = matrix("a", 3, 3), no_rows = matrix(0, 0, 3), no_columns = matrix(0, 10, 0), one_row = matrix(0, 1, 3),
  infinite = replace(x, 5, Inf), not_a_number = replace(x, 5, NaN), missing_cell = replace(x, 5, NA), zeros = matrix(0, 30, 3),
  huge = x * 1e305, tiny = x * 1e-310, logical = x > 0, one_column = x[, 1, drop = FALSE],
  sparse = Matrix::Matrix(replace(x, x < 0, 0), sparse = TRUE), sparse_missing = Matrix::Matrix(replace(x, x < 0, NA), sparse = TRUE),
  sparse_empty = Matrix::sparseMatrix(i = integer(), j = integer(), x = numeric(), dims = c(20, 20)),
  pattern = Matrix::sparseMatrix(i = 1:20, j = 20:1, dims = c(20, 20)), diagonal = Matrix::Diagonal(20)
)

test_that("odd values in place of the data give an R error or a map", {
  for (name in names(odd_values)) {
    value <- odd_values[[name]]
    for (input in c("auto", "points", "distances", "affinities")) {
      expect_true(answers(function() fit(value, input = input)), label = paste(name, input))
    }
    expect_true(answers(function() heat_distances(value, threads = 1)), label = paste(name, "heat_distances"))
    expect_true(answers(function() pseudotime(value, threads = 1)), label = paste(name, "pseudotime"))
    expect_true(answers(function() score_map(value, points = x)), label = paste(name, "score_map"))
    expect_true(answers(function() score_map(x, points = value)), label = paste(name, "score_map, points"))
    expect_true(answers(function() score_map(x, truth = value)), label = paste(name, "score_map, truth"))
    expect_true(answers(function() score_map(x, labels = value)), label = paste(name, "score_map, labels"))
    expect_true(answers(function() view(value, open = FALSE)), label = paste(name, "view"))
    expect_true(answers(function() save_model(value, model_file())), label = paste(name, "save_model"))
    expect_true(answers(function() load_model(value)), label = paste(name, "load_model"))
  }
})

test_that("odd distances, graphs and lists of neighbours give an R error or a map", {
  d <- as.matrix(stats::dist(x))
  index <- t(apply(d, 1, order))[, 2:11]
  distance <- t(apply(d, 1, sort))[, 2:11]
  neighbors <- function(index, distance) list(nn.index = index, nn.dist = distance)
  odd <- list(
    negative = -d, skew = upper.tri(d) * d, hole = replace(d, 7, NaN), endless = replace(d, 7, Inf), off_diagonal = d + 1,
    nothing = d * 0
  )
  for (name in names(odd)) {
    for (input in c("distances", "affinities")) {
      expect_true(answers(function() fit(odd[[name]], input = input)), label = paste(name, input))
    }
    expect_true(answers(function() fit(stats::as.dist(odd[[name]]))), label = paste(name, "dist"))
  }
  lists <- list(
    zero = neighbors(replace(index, 3, 0L), distance), negative = neighbors(replace(index, 3, -5L), distance),
    beyond = neighbors(replace(index, 3, 61L), distance), missing = neighbors(replace(index, 3, NA), distance),
    itself = neighbors(cbind(1:60, index), cbind(0, distance)), twice = neighbors(index[, c(1, 1:10)], distance[, c(1, 1:10)]),
    far = neighbors(index, replace(distance, 3, Inf)), unknown = neighbors(index, replace(distance, 3, NaN)),
    below = neighbors(index, -distance), short = neighbors(index, distance[, 1:5]),
    empty = neighbors(index[, 0], distance[, 0]), half = list(nn.index = index), unsorted = neighbors(index[, 10:1], distance[, 10:1])
  )
  for (name in names(lists)) expect_true(answers(function() fit(lists[[name]])), label = name)
})

test_that("odd values in place of options, seeds, threads, roots and rows give an R error or a map", {
  for (name in names(odd_values)) {
    value <- odd_values[[name]]
    expect_true(answers(function() heatgeo(x, seed = value, threads = 1)), label = paste(name, "seed"))
    expect_true(answers(function() heatgeo(x, threads = value)), label = paste(name, "threads"))
    expect_true(answers(function() embed_points(x, method = value, threads = 1)), label = paste(name, "method"))
    expect_true(answers(function() fit(x, knn = value)), label = paste(name, "knn"))
    expect_true(answers(function() fit(x, refine = value)), label = paste(name, "refine"))
    expect_true(answers(function() heat_distances(x, from = value, threads = 1)), label = paste(name, "from"))
    expect_true(answers(function() pseudotime(x, root = value, threads = 1)), label = paste(name, "root"))
    expect_true(answers(function() score_map(x, points = x, knn = value)), label = paste(name, "score_map, knn"))
    expect_true(answers(function() method_options(value)), label = paste(name, "method_options"))
  }
  for (value in list(-1, 0, 1e10, 1e300, Inf, NaN, 2.5, TRUE, "", c(1, 2), .Machine$integer.max)) {
    for (option in c("knn", "time", "n_components", "harnack", "pca")) {
      call <- function() do.call(fit, c(list(x), setNames(list(value), option)))
      expect_true(answers(call), label = paste(option, deparse1(value)))
    }
    expect_true(answers(function() pseudotime(x, root = 1, bootstrap = value, level = 0.9, threads = 1)), label = deparse1(value))
    expect_true(answers(function() pseudotime(x, root = 1, level = value, threads = 1)), label = deparse1(value))
  }
})

test_that("odd new rows and broken models give an R error or places", {
  map <- fit(x)
  for (name in names(odd_values)) {
    expect_true(answers(function() predict(map, odd_values[[name]])), label = name)
    broken <- map
    broken$model <- odd_values[[name]]
    expect_true(answers(function() predict(broken, x)), label = paste(name, "as model"))
    expect_true(answers(function() save_model(broken, model_file())), label = paste(name, "as saved model"))
  }
  path <- model_file()
  save_model(map, path)
  whole <- readBin(path, "raw", file.size(path))
  for (n in c(0, 1, 10, length(whole) %/% 2, length(whole) - 1)) {
    writeBin(whole[seq_len(n)], path)
    expect_error(load_model(path))
  }
  set.seed(5)
  for (i in 1:50) {
    writeBin(replace(whole, sample(length(whole), 20), as.raw(sample(0:255, 20, TRUE))), path)
    expect_true(answers(function() predict(load_model(path), unname(x))), label = paste("bytes changed,", i))
  }
  unlink(path)
})
