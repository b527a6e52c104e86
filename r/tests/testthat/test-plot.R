map <- fit(swiss_roll(60))

test_that("base graphics draw numbers and groups", {
  path <- tempfile(fileext = ".pdf")
  grDevices::pdf(path)
  plot(map, color = seq_len(60))
  plot(map, color = rep(c("a", "b"), 30), main = "groups")
  plot(fit(swiss_roll(40), n_components = 1))
  grDevices::dev.off()
  expect_gt(file.size(path), 1000)
  expect_error(plot(map, color = 1:3), "color has 3 values for 60 points")
})

test_that("ggplot2 draws the map", {
  skip_if_not_installed("ggplot2")
  picture <- ggplot2::autoplot(map, color = rep(c("a", "b"), 30))
  expect_s3_class(picture, "ggplot")
  expect_silent(ggplot2::ggplot_build(picture))
})

test_that("view refuses columns that do not fit", {
  expect_error(view(map, columns = 1:60, open = FALSE), "give a data frame")
  expect_error(view(map, columns = data.frame(row = 1:3), open = FALSE), "3 rows for 60 points")
})

test_that("view writes the page, or says why it cannot", {
  path <- tempfile(fileext = ".html")
  done <- try(view(map, columns = data.frame(row = 1:60, side = rep(c("left", "right"), 30)), path = path, open = FALSE), silent = TRUE)
  if (inherits(done, "try-error")) {
    expect_match(as.character(done), "this build has no page")
  } else {
    expect_gt(file.size(path), 10000)
    expect_match(readLines(path, 1, warn = FALSE), "<!doctype html>", ignore.case = TRUE)
  }
})
