test_that("new rows have places, training rows their own", {
  x <- swiss_roll(200)
  map <- fit(x[1:150, ])
  places <- predict(map, x, threads = 1)
  expect_equal(rownames(places), rownames(x))
  expect_identical(unname(places[1:150, ]), unname(map$embedding))
  expect_identical(predict(map, x[160, , drop = FALSE], threads = 1), places[160, , drop = FALSE])
})

test_that("columns are matched by name", {
  x <- swiss_roll(150)
  map <- fit(x[1:100, ])
  expect_identical(predict(map, x[101:150, c("c", "a", "b")]), predict(map, x[101:150, ]))
  expect_error(predict(map, x[101:150, c("a", "b")]), "lacks columns of the map: c")
})

test_that("a model goes through its file", {
  x <- swiss_roll(150)
  map <- fit(x[1:100, ])
  path <- model_file()
  save_model(map, path)
  again <- load_model(path)
  expect_identical(unname(predict(again, unname(x[101:150, ]))), unname(predict(map, x[101:150, ])))
  unlink(path)
})

test_that("a model that went through saveRDS says so", {
  map <- fit(swiss_roll(60))
  path <- model_file()
  saveRDS(map, path)
  expect_error(predict(readRDS(path), swiss_roll(5)), "save_model")
  unlink(path)
})
