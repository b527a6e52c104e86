#' Draw a map
#'
#' `plot()` draws with base graphics, `autoplot()` with ggplot2, `view()` writes the interactive page: one HTML file
#' that needs only a browser.
#'
#' @param x,object A map of [heatgeo()].
#' @param color Values or groups, one for each point.
#' @param ... Passed to [graphics::plot.default()] or ignored.
#' @return `plot()`: the map, invisibly. `autoplot()`: a ggplot. `view()`: the path of the page, invisibly.
#' @examples
#' map <- heatgeo(as.matrix(iris[!duplicated(iris[1:4]), 1:4]), threads = 1)
#' plot(map, color = iris$Species[!duplicated(iris[1:4])])
#' @export
plot.geotherm <- function(x, color = NULL, ...) {
  coordinates <- x$embedding
  if (ncol(coordinates) < 2) coordinates <- cbind(coordinates, 0)
  look <- point_colors(color, nrow(coordinates))
  arguments <- list(
    x = coordinates[, 1], y = coordinates[, 2], asp = 1, pch = 16, cex = 0.6, col = look$colors,
    xlab = colnames(x$embedding)[1], ylab = if (ncol(x$embedding) > 1) colnames(x$embedding)[2] else "", main = x$display
  )
  given <- list(...)
  arguments[names(given)] <- given
  do.call(graphics::plot.default, arguments)
  if (!is.null(look$groups) && length(look$groups) <= 25) {
    graphics::legend("topright", legend = names(look$groups), col = look$groups, pch = 16, bty = "n", cex = 0.8)
  }
  invisible(x)
}

point_colors <- function(color, n) {
  if (is.null(color)) return(list(colors = "#35608d"))
  if (length(color) != n) stop("color has ", length(color), " values for ", n, " points", call. = FALSE)
  if (is.numeric(color) && length(unique(color)) > 12) {
    palette <- grDevices::hcl.colors(100, "viridis")
    span <- range(color, finite = TRUE)
    place <- if (diff(span) > 0) 1 + round(99 * (color - span[1]) / diff(span)) else rep(50, n)
    return(list(colors = palette[place]))
  }
  groups <- factor(color)
  palette <- setNames(grDevices::hcl.colors(max(nlevels(groups), 1), "Dark 3"), levels(groups))
  list(colors = unname(palette[as.character(groups)]), groups = palette)
}

utils::globalVariables(".data") # of ggplot2's aes()

#' @rdname plot.geotherm
#' @exportS3Method ggplot2::autoplot
autoplot.geotherm <- function(object, color = NULL, ...) {
  coordinates <- object$embedding
  if (ncol(coordinates) < 2) coordinates <- cbind(coordinates, 0)
  data <- data.frame(x = coordinates[, 1], y = coordinates[, 2])
  labels <- colnames(object$embedding)
  picture <- if (is.null(color)) {
    ggplot2::ggplot(data, ggplot2::aes(x = .data[["x"]], y = .data[["y"]]))
  } else {
    if (length(color) != nrow(data)) stop("color has ", length(color), " values for ", nrow(data), " points", call. = FALSE)
    data$color <- color
    ggplot2::ggplot(data, ggplot2::aes(x = .data[["x"]], y = .data[["y"]], colour = .data[["color"]])) +
      ggplot2::labs(colour = NULL)
  }
  picture + ggplot2::geom_point(size = 0.6) + ggplot2::coord_equal() +
    ggplot2::labs(x = labels[1], y = if (length(labels) > 1) labels[2] else NULL, title = object$display) +
    ggplot2::theme_minimal()
}

#' @rdname plot.geotherm
#' @param columns A data frame with one row for each point, whose columns the page can show as colours.
#' @param path Where the page is written.
#' @param title Of the page.
#' @param open Open the page in a browser.
#' @export
view <- function(x, columns = NULL, path = tempfile("map", fileext = ".html"), title = NULL, open = interactive()) {
  maps <- if (inherits(x, "geotherm")) setNames(list(x), x$display) else x
  fits <- is.list(maps) && length(maps) > 0 && all(vapply(maps, inherits, logical(1), "geotherm"))
  if (!fits) stop("x is ", kind_of(x), ": give a map of heatgeo(), or a named list of maps", call. = FALSE)
  if (is.null(names(maps))) names(maps) <- vapply(maps, function(map) map$display, "")
  n <- nrow(maps[[1]]$embedding)
  if (!is.null(columns) && !is.data.frame(columns)) {
    stop("columns is ", kind_of(columns), ": give a data frame with one row for each point", call. = FALSE)
  }
  shown <- lapply(as.list(columns), function(column) if (is.numeric(column)) as.double(column) else as.character(column))
  if (any(lengths(shown) != n)) stop("columns have ", nrow(columns), " rows for ", n, " points", call. = FALSE)
  first <- maps[[1]]
  graph <- list()
  if (length(first$graph) > 0) {
    graph <- list(
      weights = csc_parts(first$graph$weights), unique_inverse = first$graph$unique_inverse,
      time = as.double(first$chosen$time %||% 0)
    )
  }
  result <- finished(.Call(
    geotherm_page, lapply(maps, function(map) unname(map$embedding)), shown,
    rownames(first$embedding) %||% character(), title %||% paste(names(maps), collapse = ", "), graph,
    run_settings(0, NULL, FALSE)
  ))
  writeLines(result$page, path, useBytes = TRUE, sep = "")
  if (open) utils::browseURL(path)
  invisible(path)
}
