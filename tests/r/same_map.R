# The R package and the program make the same map of the same table: Rscript same_map.R PROGRAM TOLERANCE
# (0: the same bits, which a program built without BLAS has).
arguments <- commandArgs(TRUE)
program <- normalizePath(arguments[1])
tolerance <- as.numeric(arguments[2])
library(geotherm)

set.seed(1)
roll <- function(n) {
  angle <- 1.5 * pi * (1 + 2 * runif(n))
  cbind(angle * cos(angle), 10 * runif(n), angle * sin(angle))
}
# 17 digits, so that both read the same numbers.
write_table <- function(x, header, path = tempfile(fileext = ".csv")) {
  writeLines(c(header, apply(x, 1, function(row) paste(sprintf("%.17g", row), collapse = ","))), path)
  path
}
x <- roll(300)
small <- list(points = x, file = write_table(x, "a,b,c"))

read_npy <- function(path, n) {
  bytes <- readBin(path, "raw", file.size(path))
  header <- 10 + sum(as.integer(bytes[9:10]) * c(1, 256))
  values <- readBin(bytes[-seq_len(header)], "double", (length(bytes) - header) / 8)
  matrix(values, nrow = n, byrow = TRUE)
}

runs <- list(
  list(method = "heatgeo", options = list(), flags = character()),
  list(method = "heatgeo", options = list(knn = 7, time = 5), flags = c("--knn", "7", "--time", "5")),
  list(method = "phate", options = list(), flags = character()),
  list(method = "diffusion-map", options = list(), flags = character())
)
# Descents enlarge a difference in the last bit without bound: they can only be the same to the bit.
if (tolerance == 0) {
  runs <- c(runs, list(
    list(method = "umap", options = list(), flags = character()),
    list(method = "tsne", options = list(), flags = character()),
    list(method = "shortest-path", options = list(), flags = character()),
    list(method = "heatgeo", options = list(refine = 50), flags = c("--refine", "50")),
    # Distances from pivots alone, shortcuts, and refinement where it is due.
    list(method = "heatgeo", options = list(), flags = character(), n = 2500)
  ))
}
worst <- 0
for (run in runs) {
  out <- tempfile(fileext = ".npy")
  data <- small
  if (!is.null(run$n)) {
    points <- roll(run$n) + rnorm(3 * run$n)
    data <- list(points = points, file = write_table(points, "a,b,c"))
  }
  status <- system2(program, c("embed", data$file, "-o", out, "--method", run$method, "--seed", "3", run$flags), stdout = FALSE, stderr = FALSE)
  stopifnot(status == 0)
  theirs <- read_npy(out, nrow(data$points))
  ours <- do.call(embed_points, c(list(data$points, method = run$method, seed = 3, progress = FALSE), run$options))$embedding
  difference <- max(abs(theirs - unname(ours))) / max(abs(theirs))
  cat(sprintf(
    "%-14s %-20s %4d points: largest difference over extent %.3g\n", run$method, paste(run$flags, collapse = " "), nrow(data$points), difference
  ))
  worst <- max(worst, difference)
}
if (worst > tolerance) stop("the maps differ by ", worst, ", allowed are ", tolerance)

# A model of R's goes to the program, with the names of its columns: those of the new table come in another order.
colnames(x) <- c("a", "b", "c")
map <- heatgeo(x[1:250, ], seed = 3, progress = FALSE)
model <- tempfile(fileext = ".gtm")
save_model(map, model)
new <- x[251:300, c("c", "a", "b")]
table <- write_table(new, "c,a,b")
status <- system2(program, c("transform", model, table, "-o", out), stdout = FALSE, stderr = FALSE)
stopifnot(status == 0)
difference <- max(abs(read_npy(out, nrow(new)) - unname(predict(map, new)))) / max(abs(map$embedding))
cat(sprintf("%-14s %-20s largest difference over extent %.3g\n", "transform", "", difference))
if (difference > tolerance) stop("places differ by ", difference, ", allowed are ", tolerance)
cat("R and the program agree:", length(runs) + 1, "passed, 0 failed\n")
