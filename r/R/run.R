# What every call shares: seed, threads, progress; warnings and interrupts in R's own manner.

# A value in an error's text, not longer than a line.
shown <- function(value) {
  text <- deparse1(value)
  if (nchar(text) > 60) paste0(substr(text, 1, 57), "...") else text
}

whole_number <- function(value, name, least, most) {
  fits <- is.numeric(value) && length(value) == 1 && is.finite(value) && value >= least && value <= most && value == floor(value)
  if (!fits) {
    stop(name, " is ", shown(value), ": give a whole number from ", least, " to ", format(most, digits = 16), call. = FALSE)
  }
  value
}

one_word <- function(value, name, such_as) {
  if (!is.character(value) || length(value) != 1 || is.na(value)) {
    stop(name, " is ", shown(value), ": give ", such_as, call. = FALSE)
  }
  value
}

method_name <- function(method) one_word(method, "method", "one of the names that map_methods() lists")

run_settings <- function(seed, threads, progress) {
  if (is.null(threads)) threads <- getOption("geotherm.threads", 0)
  list(
    seed = as.double(whole_number(seed, "seed", 0, 2^53)),
    threads = as.integer(whole_number(threads, "threads", 0, 1024)),
    progress = isTRUE(progress)
  )
}

# Places in a table that an error of the library names: it counts from 0.
counted_from_1 <- function(message) {
  pattern <- "row ([0-9]+), column ([0-9]+)"
  found <- gregexpr(pattern, message)
  regmatches(message, found) <- lapply(regmatches(message, found), function(places) {
    vapply(regmatches(places, regexec(pattern, places)), function(parts) {
      sprintf("row %.0f, column %.0f", as.numeric(parts[2]) + 1, as.numeric(parts[3]) + 1)
    }, "")
  })
  message
}

# The list that a native function returned, less its warnings, which are given to R.
finished <- function(result) {
  result <- tryCatch(result, error = function(failure) stop(counted_from_1(conditionMessage(failure)), call. = FALSE))
  if (isTRUE(result$interrupted)) {
    signalCondition(structure(class = c("interrupt", "condition"), list(message = "stopped", call = NULL)))
    invokeRestart("abort")
  }
  for (message in result$warnings) warning(message, call. = FALSE)
  result$warnings <- NULL
  result
}
