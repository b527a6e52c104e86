#' How good is a map?
#'
#' @param map A map of [heatgeo()], or a numeric matrix of coordinates.
#' @param points The data: trustworthiness, continuity and the share of true neighbours kept.
#' @param labels Groups of the points: accuracy of a vote of neighbours, and agreement of k-means clusters of
#'   the map with the groups (adjusted Rand index and adjusted mutual information).
#' @param truth True distances, n x n or `dist`: correlations, mean over points.
#' @param knn Neighbours that count.
#' @inheritParams heatgeo
#' @return A named numeric vector. 1 is best.
#' @examples
#' x <- as.matrix(iris[!duplicated(iris[1:4]), 1:4])
#' map <- heatgeo(x, threads = 1)
#' score_map(map, points = x, labels = iris$Species[!duplicated(iris[1:4])], threads = 1)
#' @export
score_map <- function(map, points = NULL, labels = NULL, truth = NULL, knn = 10, seed = 0, threads = NULL) {
  if (inherits(map, "geotherm")) map <- map$embedding
  map <- unname(as_points(map, "map"))
  if (is.null(points) && is.null(labels) && is.null(truth)) {
    stop("give points, labels or truth to score the map against", call. = FALSE)
  }
  same_length <- function(n, name) {
    if (n != nrow(map)) stop(name, " has ", n, " rows, the map ", nrow(map), call. = FALSE)
  }
  if (!is.null(points)) {
    points <- unname(as_points(points, "points"))
    same_length(nrow(points), "points")
  }
  if (!is.null(labels)) {
    if (anyNA(labels)) stop("labels has missing values: leave those points out", call. = FALSE)
    same_length(length(labels), "labels")
    labels <- as.integer(factor(labels))
  }
  if (!is.null(truth)) {
    truth <- unname(as_points(as.matrix(truth), "truth"))
    same_length(nrow(truth), "truth")
  }
  knn <- whole_number(knn, "knn", 1, .Machine$integer.max)
  wanted <- list(map = map, points = points, labels = labels, truth = truth, knn = as.integer(knn))
  result <- finished(.Call(geotherm_score, wanted, run_settings(seed, threads, FALSE)))
  setNames(result$values, result$names)
}
