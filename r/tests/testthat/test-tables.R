test_that("the tables are the library's", {
  options <- method_options()
  expect_true(all(c("knn", "time", "n_components", "refine") %in% options$name))
  expect_false(anyDuplicated(options$name) > 0)
  expect_true(all(nzchar(options$help)))
  expect_lt(nrow(method_options("pca")), nrow(options))
  expect_true(all(c("heatgeo", "phate", "umap", "tsne") %in% map_methods()$name))
})

test_that("every option with a default takes its default back", {
  x <- swiss_roll(40)
  for (row in split(method_options("heatgeo"), method_options("heatgeo")$name)) {
    value <- utils::type.convert(row$default, as.is = TRUE)
    map <- suppressWarnings(do.call(fit, c(list(x), setNames(list(value), row$name))))
    expect_true(all(is.finite(map$embedding)), label = row$name)
  }
})
