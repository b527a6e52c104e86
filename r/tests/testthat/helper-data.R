# A Swiss roll with named rows.
swiss_roll <- function(n = 200, seed = 1) {
  set.seed(seed)
  angle <- 1.5 * pi * (1 + 2 * runif(n))
  x <- cbind(a = angle * cos(angle), b = 10 * runif(n), c = angle * sin(angle))
  rownames(x) <- paste0("cell", seq_len(n))
  x
}

fit <- function(x, ...) heatgeo(x, ..., threads = 1, progress = FALSE)

model_file <- function() tempfile(fileext = ".gtm")
