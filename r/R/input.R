# What people have -> what the library looks at.

dense_limit <- 4 * 2^30

# A plain numeric matrix with one row for each point.
as_points <- function(x, name = "x") {
  if (is.data.frame(x)) {
    numeric <- vapply(x, function(column) is.numeric(column) || is.logical(column), logical(1))
    if (!all(numeric)) {
      stop(
        "columns of ", name, " that are not numbers: ", paste(names(x)[!numeric], collapse = ", "),
        "; leave them out, or make them numbers", call. = FALSE
      )
    }
    x <- as.matrix(x)
  }
  if (methods::is(x, "Matrix")) {
    if (prod(dim(x)) * 8 > dense_limit) {
      stop(name, " would take more than 4 GB as a dense matrix: reduce it first", call. = FALSE)
    }
    x <- as.matrix(x)
  }
  if (!is.matrix(x) || !(is.numeric(x) || is.logical(x))) {
    stop(name, " is ", class(x)[1], ": give a numeric matrix with one row for each point", call. = FALSE)
  }
  storage.mode(x) <- "double"
  first <- match(FALSE, is.finite(x))
  if (!is.na(first)) not_finite(x[first], (first - 1) %% nrow(x) + 1, (first - 1) %/% nrow(x) + 1, dimnames(x), name)
  x
}

# The library counts rows from 0: what R users see counts from 1.
not_finite <- function(value, row, column, names, name) {
  place <- function(what, number, known) {
    is_named <- !is.null(known) && known[number] != number
    paste0(what, " ", number, if (is_named) paste0(" (", known[number], ")"))
  }
  stop(
    name, " is ", value, " in ", place("row", row, names[[1]]), ", ", place("column", column, names[[2]]),
    ": leave the row out, or fill the value in", call. = FALSE
  )
}

csc_parts <- function(x) {
  x <- as(as(as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
  list(p = x@p, i = x@i, x = as.double(x@x), dim = dim(x))
}

# The library reads rows, a CsparseMatrix has columns: those of the transposed matrix.
csr_parts <- function(x, name = "x") {
  parts <- csc_parts(Matrix::t(x))
  first <- match(FALSE, is.finite(parts$x))
  if (!is.na(first)) not_finite(parts$x[first], findInterval(first - 1, parts$p), parts$i[first] + 1L, dimnames(x), name)
  parts
}

square <- function(x, what) {
  if (is.null(nrow(x)) || nrow(x) != ncol(x)) {
    is <- if (is.null(nrow(x))) class(x)[1] else paste(nrow(x), "x", ncol(x))
    stop(what, " are a square matrix; this one is ", is, call. = FALSE)
  }
  x
}

neighbor_tables <- function(x) {
  index <- x[["nn.index"]] %||% x[["index"]] %||% x[["idx"]] %||% x[["nn.idx"]]
  distance <- x[["nn.dist"]] %||% x[["distance"]] %||% x[["dist"]] %||% x[["nn.dists"]]
  if (!is.matrix(index) || !is.matrix(distance) || !identical(dim(index), dim(distance))) {
    stop(
      "a list of neighbours has two matrices of one size, one row for each point: nn.index and nn.dist (FNN), ",
      "index and distance (BiocNeighbors) or idx and dist (uwot)", call. = FALSE
    )
  }
  storage.mode(index) <- "integer"
  storage.mode(distance) <- "double"
  if (any(index > nrow(index), na.rm = TRUE)) {
    stop("the list of neighbours names point ", max(index, na.rm = TRUE), " of ", nrow(index), call. = FALSE)
  }
  list(kind = "neighbors", indices = index, distances = distance)
}

`%||%` <- function(a, b) if (is.null(a)) b else a

input_kinds <- c("auto", "points", "distances", "affinities")

# A list for the native functions, which for points has the names of the columns, and the names of the rows.
as_input <- function(x, input = input_kinds, pca_rank = 50L) {
  input <- match.arg(input, input_kinds)
  if (inherits(x, "igraph")) {
    if (!requireNamespace("igraph", quietly = TRUE)) stop("install igraph to read its graphs", call. = FALSE)
    weighted <- "weight" %in% igraph::edge_attr_names(x)
    x <- igraph::as_adjacency_matrix(x, attr = if (weighted) "weight")
    input <- "affinities"
  }
  if (inherits(x, "dist")) {
    held <- list(kind = "distances", values = as_points(as.matrix(x)))
    return(list(input = held, names = attr(x, "Labels")))
  }
  if (inherits(x, "Graph") && methods::is(x, "Matrix")) input <- "affinities" # Seurat's neighbour graphs
  if (inherits(x, "Neighbor") && isS4(x)) { # Seurat's lists of neighbours
    return(list(input = neighbor_tables(list(idx = x@nn.idx, dist = x@nn.dist)), names = x@cell.names))
  }
  if (is.list(x) && !is.data.frame(x)) {
    return(list(input = neighbor_tables(x), names = rownames(x[["nn.index"]] %||% x[["index"]])))
  }
  if (input == "affinities") {
    if (!methods::is(x, "Matrix")) x <- Matrix::Matrix(as_points(x), sparse = TRUE)
    return(list(input = c(kind = "affinities", csr_parts(square(x, "affinities"))), names = rownames(x)))
  }
  if (input == "distances") {
    if (methods::is(x, "sparseMatrix")) {
      return(list(input = c(kind = "sparse_distances", csr_parts(square(x, "distances"))), names = rownames(x)))
    }
    values <- as_points(square(x, "distances"))
    return(list(input = list(kind = "distances", values = values), names = rownames(x)))
  }
  if (methods::is(x, "sparseMatrix") && prod(dim(x)) * 8 > dense_limit) {
    rank <- as.integer(min(pca_rank, dim(x) - 1L))
    warning("x is large and sparse: it is reduced to ", rank, " principal components first", call. = FALSE)
    held <- c(kind = "sparse_points", csr_parts(x), list(rank = rank, columns = colnames(x)))
    return(list(input = held, names = rownames(x)))
  }
  values <- as_points(x)
  list(input = list(kind = "points", values = unname(values), columns = colnames(values)), names = rownames(values))
}

# New rows for a model: points, or distances or weights to its training rows.
as_new_rows <- function(newdata, given_as) {
  if (given_as == "points") return(list(kind = "points", values = unname(as_points(newdata, "newdata"))))
  if (!methods::is(newdata, "sparseMatrix")) {
    newdata <- as_points(newdata, "newdata")
    if (given_as == "distances") return(list(kind = "distances", values = unname(newdata)))
    newdata <- Matrix::Matrix(newdata, sparse = TRUE)
  }
  c(kind = if (given_as == "distances") "sparse_distances" else "affinities", csr_parts(newdata, "newdata"))
}
