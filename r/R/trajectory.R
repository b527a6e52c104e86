#' Order of cells from a root
#'
#' Geodesics in the slow part of the heat geometry, from 0 at the root to 1 at the farthest cell; with ends,
#' branches and, for each cell, the probability of each end.
#'
#' @inheritParams heatgeo
#' @param root Rows to start from, by number or name; several are averaged. `NULL`: candidates are proposed, at
#'   the extremes of the geometry.
#' @param bootstrap Replicates for an interval of each cell; 0: none.
#' @param level Coverage of the interval.
#' @return With a root, a list of class `geotherm_trajectory`: `pseudotime` (`NA` for cells that no path joins to the
#'   root), `low` and `high` with `bootstrap`, `fates` (cells x ends), `milestone_network` and `progressions` as dynverse
#'   has them, `explained`, the share of the variance of distances that the branches explain. Without, row
#'   numbers or names.
#' @examples
#' along <- seq(0, 3, length.out = 200)
#' x <- cbind(along, sin(along), cos(2 * along)) + rnorm(600, sd = 0.03)
#' order <- pseudotime(x, root = 1, threads = 1)
#' cor(order$pseudotime, along, method = "spearman")
#' @export
pseudotime <- function(x, root = NULL, ..., bootstrap = 0, level = 0.95,
                       input = c("auto", "points", "distances", "affinities"), seed = 0, threads = NULL,
                       progress = interactive()) {
  settings <- run_settings(seed, threads, progress)
  data <- as_input(x, input)
  rows <- if (is.null(root)) integer() else rows_named(root, data, "root")
  wanted <- list(bootstrap = as.integer(whole_number(bootstrap, "bootstrap", 0, 10000)), level = as.double(level))
  result <- finished(.Call(geotherm_trajectory, data$input, named_options(...), rows, wanted, settings))
  if (is.null(root)) {
    message("no root was given: these rows are at the extremes of the geometry, and may begin a trajectory")
    return(if (is.null(data$names)) result$candidates else data$names[result$candidates])
  }
  if (!result$is_supported) {
    warning(
      "no trajectory is supported: curves through the cells explain ", signif(result$explained, 2),
      " of the variance of their distances; look at the map before you read the order", call. = FALSE
    )
  }
  as_trajectory(result, data$names %||% as.character(seq_len(n_rows(data))))
}

as_trajectory <- function(result, cells) {
  milestone <- function(number) paste0("M", number - 1L)
  named <- function(values) {
    values[is.nan(values)] <- NA
    setNames(values, cells)
  }
  edge <- result$edge_of
  fates <- result$fates
  dimnames(fates) <- list(cells, milestone(result$ends))
  structure(list(
    pseudotime = named(result$pseudotime),
    low = if (!is.null(result$low)) named(result$low),
    high = if (!is.null(result$high)) named(result$high),
    fates = fates,
    milestone_network = data.frame(
      from = milestone(result$from), to = milestone(result$to), length = result$length,
      directed = rep(TRUE, length(result$from))
    ),
    progressions = data.frame(
      cell_id = cells, from = milestone(result$from[edge]), to = milestone(result$to[edge]), percentage = result$fraction
    )[!is.na(edge), ],
    milestone_cells = setNames(cells[result$milestone_cells], milestone(seq_along(result$milestone_cells))),
    ends = milestone(result$ends),
    explained = result$explained
  ), class = "geotherm_trajectory")
}

#' @export
print.geotherm_trajectory <- function(x, ...) {
  cat(
    "Order of", sum(!is.na(x$pseudotime)), "cells with", nrow(x$milestone_network), "branches and", length(x$ends),
    "ends; explains", signif(x$explained, 2), "of the variance of distances\n"
  )
  invisible(x)
}
