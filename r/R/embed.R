#' Heat Geodesic Embedding
#'
#' Draws a map in which distances follow the shape that the data lies on: a graph of neighbours, heat
#' that spreads on it, distances read off the heat (Varadhan's formula), and metric scaling of those.
#'
#' @param x The data, one row for each point: a numeric matrix, a data frame or a sparse matrix; or, in its
#'   place, distances (`dist`, or a square matrix with `input = "distances"`), a graph (a square sparse
#'   matrix with `input = "affinities"`, or an `igraph`), or a list of neighbours as FNN (`nn.index`,
#'   `nn.dist`), BiocNeighbors (`index`, `distance`), uwot (`idx`, `dist`) and RANN (`nn.idx`, `nn.dists`) return it.
#' @param ... Options of the method, by name, such as `knn = 15` or `n_components = 3`:
#'   [method_options()] lists them. An option that the method does not read is an error.
#' @param method Name of a method: [map_methods()] lists them.
#' @param input What a matrix holds, where it is not points.
#' @param seed The same seed gives the same map, whatever the number of threads.
#' @param threads Number of threads; `NULL`: the option `geotherm.threads`, else all cores.
#' @param progress Draw a progress bar where the run takes longer than a second.
#' @return A list of class `geotherm`: `embedding`, a matrix with the row names of `x`; `method`; `chosen`,
#'   what the library chose (time, neighbours, ...) and saw; `stress`; `outcome`; `seconds`, by stage;
#'   `graph`, the affinities between distinct rows; `model`, which [predict()][predict.geotherm] uses.
#' @seealso [predict.geotherm()], [save_model()], [score_map()], [plot.geotherm()], [view()]
#' @examples
#' set.seed(1)
#' angle <- 1.5 * pi * (1 + 2 * runif(300))
#' roll <- cbind(angle * cos(angle), 10 * runif(300), angle * sin(angle))
#' map <- heatgeo(roll, threads = 1)
#' map
#' plot(map, color = angle)
#'
#' umap <- embed_points(roll, method = "umap", threads = 1)
#' @export
heatgeo <- function(x, ..., input = c("auto", "points", "distances", "affinities"), seed = 0, threads = NULL,
                    progress = interactive()) {
  embed_points(x, ..., method = "heatgeo", input = input, seed = seed, threads = threads, progress = progress)
}

#' @rdname heatgeo
#' @export
embed_points <- function(x, ..., method = "heatgeo", input = c("auto", "points", "distances", "affinities"), seed = 0,
                         threads = NULL, progress = interactive()) {
  settings <- run_settings(seed, threads, progress)
  options <- named_options(...)
  data <- as_input(x, input)
  result <- finished(.Call(geotherm_embed, method_name(method), data$input, options, settings))
  table <- map_methods()
  row <- match(method, table$name)
  label <- if (is.na(row)) method else table$display[row]
  new_map(result, data$names, method = method, display = label, options = options, columns = data$input$columns)
}

named_options <- function(...) {
  options <- list(...)
  if (length(options) > 0 && (is.null(names(options)) || any(names(options) == ""))) {
    stop("options are given by name, such as knn = 15: see method_options()", call. = FALSE)
  }
  if (anyDuplicated(names(options))) {
    stop(names(options)[duplicated(names(options))][1], " is given twice", call. = FALSE)
  }
  options
}

new_map <- function(result, names, method, display, options = list(), columns = NULL) {
  dimnames(result$embedding) <- list(names, paste0(gsub("[^A-Za-z]", "", display), seq_len(ncol(result$embedding))))
  result$chosen <- result$chosen %||% list()
  if (length(result$graph) > 0) {
    parts <- result$graph$weights
    result$graph$weights <- sparseMatrix(
      i = parts$i, p = parts$p, x = parts$x, dims = parts$dim, index1 = FALSE
    )
  }
  structure(c(result, list(method = method, display = display, options = options, columns = columns)), class = "geotherm")
}

#' @export
print.geotherm <- function(x, ...) {
  cat(x$display, "map of", nrow(x$embedding), "points in", ncol(x$embedding), "dimensions\n")
  if (is.numeric(x$stress) && x$stress > 0) cat("stress", signif(x$stress, 3), "\n")
  for (name in intersect(c("time", "knn", "pca_rank", "n_components", "shortcuts_removed"), names(x$chosen))) {
    cat(" ", name, ": ", format(x$chosen[[name]], digits = 4), "\n", sep = "")
  }
  invisible(x)
}

#' Distances along the shape of the data
#'
#' @inheritParams heatgeo
#' @param from Rows, by number or name, from which distances are wanted; `NULL`: all pairs, n x n.
#' @param method A method that has distances of its own: see [map_methods()].
#' @return A matrix with one row for each of `from`, or all pairs.
#' @examples
#' x <- matrix(rnorm(200), 50)
#' d <- heat_distances(x, from = 1, threads = 1)
#' dim(d)
#' @export
heat_distances <- function(x, from = NULL, ..., method = "heatgeo",
                           input = c("auto", "points", "distances", "affinities"), seed = 0, threads = NULL,
                           progress = interactive()) {
  settings <- run_settings(seed, threads, progress)
  data <- as_input(x, input)
  rows <- if (is.null(from)) integer() else rows_named(from, data, "from")
  result <- finished(.Call(geotherm_distances, method_name(method), data$input, named_options(...), settings, rows))
  names <- data$names
  if (!is.null(names)) dimnames(result$values) <- list(if (is.null(from)) names else names[rows], names)
  result$values
}

n_rows <- function(data) {
  held <- data$input
  if (!is.null(held$values)) nrow(held$values) else if (!is.null(held$indices)) nrow(held$indices) else held$dim[2]
}

# Numbers of rows that are given by number or by name.
rows_named <- function(which, data, argument) {
  if (is.character(which)) {
    rows <- match(which, data$names)
    if (anyNA(rows)) {
      stop(argument, ": no row is named ", paste(sQuote(which[is.na(rows)], FALSE), collapse = ", "), call. = FALSE)
    }
    return(rows)
  }
  rows <- suppressWarnings(as.integer(which))
  n <- n_rows(data)
  if (length(rows) == 0 || anyNA(rows) || any(rows < 1 | rows > n) || any(rows != which)) {
    stop(argument, " is ", shown(which), ": give rows from 1 to ", n, ", or names of rows", call. = FALSE)
  }
  rows
}

#' The tables of options and methods
#'
#' Both are the library's own, so they are the same for R, Python and the program.
#'
#' @param method Only the options that this method reads.
#' @return A data frame with one row for each option or method.
#' @examples
#' head(method_options("umap")[, c("name", "default", "accepts")])
#' map_methods()$name
#' @export
method_options <- function(method = NULL) {
  table <- as.data.frame(.Call(geotherm_options), stringsAsFactors = FALSE)
  if (is.null(method)) return(table)
  if (!method_name(method) %in% map_methods()$name) {
    stop("there is no method named ", sQuote(method, FALSE), ": map_methods() lists them", call. = FALSE)
  }
  read <- vapply(strsplit(table$methods, ", ", fixed = TRUE), function(names) method %in% names, logical(1))
  table[read, , drop = FALSE]
}

#' @rdname method_options
#' @export
map_methods <- function() as.data.frame(.Call(geotherm_methods), stringsAsFactors = FALSE)
