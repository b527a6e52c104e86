scores <- swiss_roll(120)
colnames(scores) <- paste0("PC_", 1:3)
set.seed(3)
counts <- matrix(rpois(30 * 120, 3), 30, dimnames = list(paste0("gene", 1:30), rownames(scores)))

test_that("a Seurat object gets a DimReduc with the key HEATGEO_", {
  skip_if_not_installed("Seurat")
  cells <- SeuratObject::CreateSeuratObject(counts)
  expect_error(RunHeatGeo(cells), "no reduction named 'pca'")
  expect_error(heatgeo(cells), "x is of class Seurat: RunHeatGeo() takes Seurat objects", fixed = TRUE)
  cells[["pca"]] <- SeuratObject::CreateDimReducObject(scores, key = "PC_", assay = "RNA")
  expect_error(RunHeatGeo(cells, dims = 1:30), "has 3 dimensions")
  cells <- RunHeatGeo(cells, reduction = "pca", dims = 1:3, threads = 1)
  map <- SeuratObject::Embeddings(cells, "heatgeo")
  expect_equal(colnames(map), c("HEATGEO_1", "HEATGEO_2"))
  expect_equal(rownames(map), colnames(cells))
  expect_equal(unname(map), unname(fit(scores)$embedding))
  expect_s3_class(Seurat::DimPlot(cells, reduction = "heatgeo"), "ggplot")
  # Seurat's record of what was done, as RunUMAP() leaves it.
  expect_equal(methods::slot(cells, "commands")[["RunHeatGeo.RNA.pca"]]$dims, 1:3)
})

test_that("a Seurat object's own neighbour graph serves", {
  skip_if_not_installed("Seurat")
  cells <- SeuratObject::CreateSeuratObject(counts)
  cells[["pca"]] <- SeuratObject::CreateDimReducObject(scores, key = "PC_", assay = "RNA")
  cells <- Seurat::FindNeighbors(cells, dims = 1:3, k.param = 15, verbose = FALSE)
  cells <- suppressWarnings(RunHeatGeo(cells, graph = "RNA_snn", threads = 1))
  expect_true(all(is.finite(SeuratObject::Embeddings(cells, "heatgeo"))))
  expect_error(RunHeatGeo(cells, graph = "none"), "no graph named 'none'")
  # FindNeighbors() can return the lists themselves.
  lists <- Seurat::FindNeighbors(scores, k.param = 30, return.neighbor = TRUE, verbose = FALSE)
  map <- suppressWarnings(fit(lists))
  expect_equal(rownames(map$embedding), rownames(scores))
  plain <- list(idx = lists@nn.idx, dist = lists@nn.dist)
  expect_identical(unname(map$embedding), unname(suppressWarnings(fit(plain))$embedding))
})

test_that("a SingleCellExperiment gets a reduced dimension", {
  skip_if_not_installed("SingleCellExperiment")
  cells <- SingleCellExperiment::SingleCellExperiment(list(counts = counts, logcounts = log1p(counts)))
  expect_error(runHeatGeo(cells), "no reduced dimension named 'PCA'")
  expect_error(heatgeo(cells), "runHeatGeo() takes these objects", fixed = TRUE)
  SingleCellExperiment::reducedDim(cells, "PCA") <- scores
  cells <- runHeatGeo(cells, dimred = "PCA", threads = 1)
  expect_equal(unname(SingleCellExperiment::reducedDim(cells, "HeatGeo")), unname(fit(scores)$embedding))
  cells <- runHeatGeo(cells, dimred = NULL, name = "raw", threads = 1)
  expect_equal(dim(SingleCellExperiment::reducedDim(cells, "raw")), c(120L, 2L))
})

test_that("scater's steps before and its pictures after go with the map", {
  skip_if_not_installed("scater")
  cells <- SingleCellExperiment::SingleCellExperiment(list(counts = counts))
  cells <- scater::logNormCounts(cells)
  cells <- scater::runPCA(cells, ncomponents = 5)
  cells <- runHeatGeo(cells, n_dimred = 4, threads = 1)
  expected <- fit(SingleCellExperiment::reducedDim(cells, "PCA")[, 1:4])$embedding
  expect_equal(unname(SingleCellExperiment::reducedDim(cells, "HeatGeo")), unname(expected))
  picture <- scater::plotReducedDim(cells, "HeatGeo", colour_by = "gene1")
  expect_s3_class(picture, "ggplot")
  expect_silent(ggplot2::ggplot_build(picture))
})
