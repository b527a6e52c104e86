# Ctrl-C, as a terminal sends it: SIGINT to a process of its own, so that a run that does not stop fails the test alone.
interrupted_run <- function(script, after = 1, limit = 60) {
  skip_on_os("windows")
  file <- tempfile(fileext = ".R")
  ready <- tempfile()
  log <- tempfile()
  writeLines(c(
    sprintf(".libPaths(%s)", deparse1(.libPaths())), "library(geotherm)", "set.seed(1)",
    "angle <- 1.5 * pi * (1 + 2 * runif(60000))",
    "x <- cbind(angle * cos(angle), 10 * runif(60000), angle * sin(angle), matrix(rnorm(60000 * 17), 60000))",
    sprintf("writeLines(as.character(Sys.getpid()), %s)", deparse1(ready)), script
  ), file)
  ended <- tempfile()
  rscript <- file.path(R.home("bin"), "Rscript")
  system(sprintf("{ '%s' --vanilla '%s' > '%s' 2>&1; echo $? > '%s'; } &", rscript, file, log, ended))
  is_written <- function(path) file.exists(path) && length(readLines(path, warn = FALSE)) == 1
  wait_for(function() is_written(ready), limit)
  pid <- as.integer(readLines(ready))
  Sys.sleep(after)
  started <- proc.time()[["elapsed"]]
  tools::pskill(pid, tools::SIGINT)
  wait_for(function() is_written(ended), limit)
  seconds <- proc.time()[["elapsed"]] - started
  if (!is_written(ended)) tools::pskill(pid, tools::SIGKILL)
  list(seconds = seconds, code = if (is_written(ended)) as.integer(readLines(ended)), said = readLines(log, warn = FALSE))
}

wait_for <- function(is_so, limit) {
  started <- proc.time()[["elapsed"]]
  while (!is_so() && proc.time()[["elapsed"]] - started < limit) Sys.sleep(0.05)
}

# What the process says after each call: the value of the call, or that the interrupt was caught.
catching <- function(call) {
  c(
    sprintf("value <- tryCatch(%s, interrupt = function(condition) 'caught')", call),
    "cat('value', if (identical(value, 'caught')) value else 'not stopped', '\\n')",
    # The session goes on, and its next map is as ever.
    "small <- x[1:100, ]",
    "stopifnot(identical(heatgeo(small)$embedding, heatgeo(small)$embedding))",
    "cat('went on\\n')"
  )
}

test_that("Ctrl-C stops a map with an interrupt that R can catch, and the session goes on", {
  skip_on_cran()
  for (after in c(0.2, 1.5)) { # in the search for neighbours, and later
    done <- interrupted_run(catching("heatgeo(x, threads = 2)"), after)
    expect_true("value caught " %in% done$said, info = paste(done$said, collapse = "\n"))
    expect_true("went on" %in% done$said, info = paste(done$said, collapse = "\n"))
    expect_lt(done$seconds, 20)
  }
})

test_that("Ctrl-C stops other methods, distances and trajectories too", {
  skip_on_cran()
  for (call in c(
    "embed_points(x, method = 'umap', threads = 2)", "heat_distances(x, from = 1, threads = 2)",
    "pseudotime(x, root = 1, threads = 2)"
  )) {
    done <- interrupted_run(catching(call), 0.5)
    expect_true("value caught " %in% done$said, info = paste(c(call, done$said), collapse = "\n"))
    expect_true("went on" %in% done$said, info = paste(c(call, done$said), collapse = "\n"))
  }
})

test_that("without a handler Ctrl-C ends the script, not with a crash", {
  skip_on_cran()
  done <- interrupted_run(c("heatgeo(x, threads = 2)", "cat('not reached\\n')"))
  expect_false("not reached" %in% done$said)
  # R's own code for an error or an interrupt: 128 and more are those of signals.
  expect_true(done$code %in% c(1L, 130L), info = paste(c(done$code, done$said), collapse = "\n"))
  expect_false(any(grepl("segfault|terminate called|core dumped", done$said)))
  expect_lt(done$seconds, 20)
})
