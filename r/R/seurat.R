#' Maps of Seurat objects
#'
#' Runs [heatgeo()] on a reduction, such as the principal components, and stores the map as a `DimReduc`, as
#' `RunUMAP()` does.
#'
#' @param object A Seurat object.
#' @param reduction Name of the reduction that is mapped.
#' @param dims Its dimensions.
#' @param graph In place of a reduction: the name of a neighbour graph of the object.
#' @param method Name of a method: [map_methods()] lists them.
#' @param reduction.name,reduction.key Name and key of the map in the object.
#' @param assay Assay that the map belongs to; `NULL`: that of the reduction.
#' @param seed The same seed gives the same map.
#' @param verbose Draw a progress bar.
#' @param ... Options of the method: [method_options()] lists them.
#' @return The object with the map in it.
#' @examples
#' if (requireNamespace("SeuratObject", quietly = TRUE)) {
#'   scores <- matrix(rnorm(900), 90, dimnames = list(paste0("cell", 1:90), paste0("PC_", 1:10)))
#'   counts <- matrix(rpois(1800, 2), 20, dimnames = list(paste0("gene", 1:20), rownames(scores)))
#'   cells <- SeuratObject::CreateSeuratObject(counts)
#'   cells[["pca"]] <- SeuratObject::CreateDimReducObject(scores, key = "PC_", assay = "RNA")
#'   cells <- RunHeatGeo(cells, dims = 1:10, threads = 1)
#'   head(SeuratObject::Embeddings(cells, "heatgeo"))
#' }
#' @export
RunHeatGeo <- function(object, ...) UseMethod("RunHeatGeo")

#' @rdname RunHeatGeo
#' @export
RunHeatGeo.Seurat <- function(object, reduction = "pca", dims = 1:30, graph = NULL, method = "heatgeo",
                              reduction.name = "heatgeo", reduction.key = "HEATGEO_", assay = NULL, seed = 0,
                              verbose = interactive(), ...) {
  if (!requireNamespace("SeuratObject", quietly = TRUE)) stop("install SeuratObject", call. = FALSE)
  if (!is.null(graph)) {
    if (!graph %in% names(object)) {
      stop("the object has no graph named ", sQuote(graph, FALSE), ": run Seurat::FindNeighbors() first", call. = FALSE)
    }
    held <- object[[graph]]
    assay <- assay %||% SeuratObject::DefaultAssay(held)
    map <- embed_points(as(held, "CsparseMatrix"), ..., method = method, input = "affinities", seed = seed, progress = verbose)
  } else {
    if (!reduction %in% SeuratObject::Reductions(object)) {
      stop("the object has no reduction named ", sQuote(reduction, FALSE), ": run Seurat::RunPCA() first", call. = FALSE)
    }
    held <- object[[reduction]]
    assay <- assay %||% SeuratObject::DefaultAssay(held)
    scores <- SeuratObject::Embeddings(held)
    if (any(dims > ncol(scores) | dims < 1)) {
      stop("dims go to ", max(dims), ", and ", reduction, " has ", ncol(scores), " dimensions", call. = FALSE)
    }
    map <- embed_points(scores[, dims, drop = FALSE], ..., method = method, seed = seed, progress = verbose)
  }
  coordinates <- map$embedding
  dimnames(coordinates) <- list(colnames(object), paste0(reduction.key, seq_len(ncol(coordinates))))
  object[[reduction.name]] <- SeuratObject::CreateDimReducObject(
    embeddings = coordinates, key = reduction.key, assay = assay, misc = list(chosen = map$chosen, method = map$method)
  )
  SeuratObject::LogSeuratCommand(object)
}

#' @export
RunHeatGeo.default <- function(object, ...) {
  stop("object is ", kind_of(object), ": RunHeatGeo() takes Seurat objects; heatgeo() takes tables", call. = FALSE)
}

#' Maps of SingleCellExperiment objects
#'
#' Runs [heatgeo()] on a reduced dimension and stores the map as another, as scater's `runUMAP()` does.
#'
#' @param x A SingleCellExperiment.
#' @param dimred Name of the reduced dimension that is mapped; `NULL`: the assay itself, reduced by the library.
#' @param n_dimred Its leading columns; `NULL`: all.
#' @param assay Name of the assay where `dimred` is `NULL`.
#' @param name Under which the map is stored.
#' @inheritParams RunHeatGeo
#' @return The object with the map in it.
#' @examples
#' if (requireNamespace("SingleCellExperiment", quietly = TRUE)) {
#'   counts <- matrix(rpois(4000, 5), 40, dimnames = list(NULL, paste0("cell", 1:100)))
#'   cells <- SingleCellExperiment::SingleCellExperiment(list(counts = counts))
#'   SingleCellExperiment::reducedDim(cells, "PCA") <- prcomp(t(log1p(counts)))$x[, 1:10]
#'   cells <- runHeatGeo(cells, threads = 1)
#'   head(SingleCellExperiment::reducedDim(cells, "HeatGeo"))
#' }
#' @rdname heatgeo-sce
#' @export
runHeatGeo <- function(x, ...) UseMethod("runHeatGeo")

#' @rdname heatgeo-sce
#' @export
runHeatGeo.SingleCellExperiment <- function(x, dimred = "PCA", n_dimred = NULL, assay = "logcounts", method = "heatgeo",
                                            name = "HeatGeo", seed = 0, verbose = interactive(), ...) {
  if (!requireNamespace("SingleCellExperiment", quietly = TRUE)) stop("install SingleCellExperiment", call. = FALSE)
  if (is.null(dimred)) {
    values <- Matrix::t(SummarizedExperiment::assay(x, assay))
  } else {
    known <- SingleCellExperiment::reducedDimNames(x)
    if (!dimred %in% known) {
      stop(
        "there is no reduced dimension named ", sQuote(dimred, FALSE), ": the object has ",
        if (length(known)) paste(known, collapse = ", ") else "none", "; run scater::runPCA() first", call. = FALSE
      )
    }
    values <- SingleCellExperiment::reducedDim(x, dimred)
    if (!is.null(n_dimred)) values <- values[, seq_len(n_dimred), drop = FALSE]
  }
  map <- embed_points(values, ..., method = method, seed = seed, progress = verbose)
  coordinates <- map$embedding
  rownames(coordinates) <- colnames(x)
  SingleCellExperiment::reducedDim(x, name) <- coordinates
  x
}

#' @export
runHeatGeo.default <- function(x, ...) {
  stop("x is ", kind_of(x), ": runHeatGeo() takes SingleCellExperiment objects; heatgeo() takes tables", call. = FALSE)
}
