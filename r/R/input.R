# What people have -> what the library looks at.

dense_limit <- 4 * 2^30

# What was given, in words.
kind_of <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.matrix(x)) return(paste("a matrix of mode", mode(x)))
  if (is.atomic(x) && is.null(dim(x)) && !is.object(x)) return(paste("a vector of mode", mode(x)))
  paste("of class", class(x)[1])
}

# What to do about an object that is no table.
advice_for <- function(x) {
  if (inherits(x, "Seurat")) return("RunHeatGeo() takes Seurat objects")
  if (inherits(x, "SingleCellExperiment")) return("runHeatGeo() takes these objects")
  advice <- "give a numeric matrix with one row for each point"
  if (is.numeric(x) && is.null(dim(x))) paste0(advice, " (x[1, , drop = FALSE] keeps a single row as a matrix)") else advice
}

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
    stop(name, " is ", kind_of(x), ": ", advice_for(x), call. = FALSE)
  }
  if (ncol(x) == 0) stop(name, " has no columns", call. = FALSE)
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

row_and_column <- function(at, table) paste0("row ", (at - 1) %% nrow(table) + 1, ", column ", (at - 1) %/% nrow(table) + 1)

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
    is <- if (is.null(nrow(x))) kind_of(x) else paste(nrow(x), "x", ncol(x))
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
      "index and distance (BiocNeighbors), idx and dist (uwot) or nn.idx and nn.dists (RANN)", call. = FALSE
    )
  }
  for (table in list(index, distance)) {
    if (!is.numeric(table) && !all(is.na(table))) {
      stop("the list of neighbours has ", kind_of(table), ": give numbers", call. = FALSE)
    }
  }
  storage.mode(distance) <- "double"
  # NA is a neighbour that was not found; RANN writes 0 and a distance of 1e154 there.
  index[!is.na(index) & index == 0 & !is.na(distance) & distance > 1e150] <- NA
  wrong <- which(!is.na(index) & (index < 1 | index > nrow(index) | index != floor(index)))[1]
  if (!is.na(wrong)) {
    stop(
      "the list of neighbours has ", index[wrong], " in ", row_and_column(wrong, index), ": give numbers of points from 1 to ",
      nrow(index), if (index[wrong] == 0) "; add 1 to a table that counts from 0", call. = FALSE
    )
  }
  storage.mode(index) <- "integer"
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
    x <- square(x, "affinities")
    return(list(input = c(kind = "affinities", csr_parts(x)), names = rownames(x)))
  }
  if (input == "distances") {
    if (methods::is(x, "sparseMatrix")) {
      x <- square(x, "distances")
      return(list(input = c(kind = "sparse_distances", csr_parts(x)), names = rownames(x)))
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
