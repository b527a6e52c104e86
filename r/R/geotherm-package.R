#' geotherm: maps that keep geodesics
#'
#' [heatgeo()] turns a table of points into a map; [embed_points()] does the same by any of the
#' methods that Heat Geodesic Embedding is compared with. [method_options()] lists every option.
#'
#' @keywords internal
#' @useDynLib geotherm, .registration = TRUE
#' @importFrom Matrix sparseMatrix
#' @importFrom methods as is
#' @importFrom stats predict setNames
"_PACKAGE"
