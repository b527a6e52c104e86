# What every call shares: seed, threads, progress; warnings and interrupts in R's own manner.

run_settings <- function(seed, threads, progress) {
  whole <- function(value, name, most) {
    fits <- is.numeric(value) && length(value) == 1 && is.finite(value) && value >= 0 && value <= most && value == floor(value)
    if (!fits) stop(name, " is ", deparse1(value), ": give a whole number from 0 to ", format(most, digits = 16), call. = FALSE)
    value
  }
  if (is.null(threads)) threads <- getOption("geotherm.threads", 0)
  list(
    seed = as.double(whole(seed, "seed", 2^53)),
    threads = as.integer(whole(threads, "threads", 1024)),
    progress = isTRUE(progress)
  )
}

# The list that a native function returned, less its warnings, which are given to R.
finished <- function(result) {
  if (isTRUE(result$interrupted)) {
    signalCondition(structure(class = c("interrupt", "condition"), list(message = "stopped", call = NULL)))
    invokeRestart("abort")
  }
  for (message in result$warnings) warning(message, call. = FALSE)
  result$warnings <- NULL
  result
}
