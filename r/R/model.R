#' Places for new rows
#'
#' Each new row is put where its nearest training points gather in the map. Its place depends on it alone;
#' a row that equals a training row gets the coordinates of that row.
#'
#' @param object A map from [heatgeo()] or [embed_points()], or from [load_model()].
#' @param newdata New rows with the columns of the training data. Where both have column names, columns are
#'   matched by name. For a map of distances or neighbours: distances of the new rows to all training rows, one
#'   column each (sparse: those that are known); for a map of a graph: weights of edges to training rows.
#' @param ... Not used.
#' @inheritParams heatgeo
#' @return A matrix with the row names of `newdata`.
#' @examples
#' x <- as.matrix(iris[!duplicated(iris[1:4]), 1:4])
#' map <- heatgeo(x[1:100, ], threads = 1)
#' predict(map, x[101:105, ], threads = 1)
#' @export
predict.geotherm <- function(object, newdata, ..., threads = NULL, progress = interactive()) {
  if (missing(newdata)) return(object$embedding)
  model <- model_of(object)
  given_as <- object$input %||% "points"
  known <- object$columns
  if (given_as == "points" && length(known) > 0 && !is.null(colnames(newdata))) {
    absent <- setdiff(known, colnames(newdata))
    if (length(absent) > 0) {
      stop("newdata lacks columns of the map: ", paste(utils::head(absent, 10), collapse = ", "), call. = FALSE)
    }
    if (!anyDuplicated(known)) newdata <- newdata[, known, drop = FALSE]
  }
  rows <- as_new_rows(newdata, given_as)
  result <- finished(.Call(geotherm_place, model, rows, run_settings(0, threads, progress)))
  dimnames(result$embedding) <- list(rownames(newdata), colnames(object$embedding))
  result$embedding
}

# The external pointer of a map; what else may stand in its place is refused by the native functions.
model_of <- function(object) {
  if (!inherits(object, "geotherm")) stop("object is ", kind_of(object), ": give a map of heatgeo()", call. = FALSE)
  if (is.null(object$model)) stop("this map has no model by which new rows could be placed: fit it again", call. = FALSE)
  object$model
}

file_name <- function(path) path.expand(one_word(path, "path", "the name of a file"))

#' Keep a map in a file
#'
#' The file is the ordinary model file: the program (`geotherm transform`) and the Python package read it too.
#'
#' @param object A map of [heatgeo()] or [embed_points()].
#' @param path Name of the file, by custom ending in `.gtm`.
#' @return `save_model`: the path, invisibly. `load_model`: a map that [predict()][predict.geotherm] takes.
#' @examples
#' map <- heatgeo(matrix(rnorm(300), 100), threads = 1)
#' file <- tempfile(fileext = ".gtm")
#' save_model(map, file)
#' load_model(file)
#' @export
save_model <- function(object, path) {
  .Call(geotherm_save_model, model_of(object), file_name(path))
  invisible(path)
}

#' @rdname save_model
#' @export
load_model <- function(path) {
  result <- .Call(geotherm_load_model, file_name(path))
  table <- map_methods()
  display <- table$display[match(result$method, table$name)]
  columns <- if (length(result$columns) > 0) result$columns
  new_map(
    result[c("embedding", "model", "input", "chosen")], NULL, method = result$method, display = if (is.na(display)) result$method else display,
    columns = columns
  )
}
