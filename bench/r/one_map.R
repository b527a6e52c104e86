# One map by one package of R: Rscript one_map.R TOOL POINTS N COLUMNS THREADS OUT. Points and map are doubles, row by row; the last
# line says how many seconds the call itself took, and how many of the processor, without the start of R and the packages.
words <- commandArgs(TRUE)
tool <- words[1]
if (tool == "versions") {
  said <- function(name) paste(name, as.character(utils::packageVersion(name)))
  cat(R.version.string, "; ", paste(vapply(c("geotherm", "uwot", "reticulate"), said, ""), collapse = ", "), "; phate ",
    reticulate::import("phate")$`__version__`, "\n", sep = ""
  )
  quit()
}
n <- as.integer(words[3])
threads <- as.integer(words[5])
points <- matrix(readBin(words[2], "double", n * as.integer(words[4])), nrow = n, byrow = TRUE)

calls <- list(
  "geotherm" = function() geotherm::heatgeo(points, threads = threads, progress = FALSE)$embedding,
  "geotherm, umap" = function() geotherm::embed_points(points, method = "umap", threads = threads, progress = FALSE)$embedding,
  "uwot" = function() uwot::umap(points, n_threads = threads),
  "uwot, n_sgd_threads auto" = function() uwot::umap(points, n_threads = threads, n_sgd_threads = "auto"),
  # As phateR does it: the Python package through reticulate.
  "phate by reticulate" = function() {
    phate <- reticulate::import("phate")
    phate$PHATE(n_jobs = threads, random_state = 0L, verbose = 0L)$fit_transform(points)
  }
)
set.seed(0)
if (startsWith(tool, "geotherm")) loadNamespace("geotherm")
if (startsWith(tool, "uwot")) loadNamespace("uwot")
if (startsWith(tool, "phate")) reticulate::import("phate")
taken <- system.time(map <- calls[[tool]]())
writeBin(as.vector(t(map)), words[6])
cat(taken[["elapsed"]], sum(taken[c("user.self", "sys.self", "user.child", "sys.child")]), "\n")
