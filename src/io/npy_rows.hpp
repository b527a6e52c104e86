// A two-dimensional array of an .npy or .npz file, read in blocks of rows.
#pragma once

#include <functional>
#include <memory>

#include "geotherm/observations.hpp"
#include "io/input_file.hpp"

namespace geotherm::detail {

using OpenSource = std::function<std::unique_ptr<ByteSource>(const InputFile&)>;

/// `open` gives the array's bytes from the first on, every time anew; `about` its name and words.
/// Null where the array is in Fortran order, which has no rows in one piece.
std::unique_ptr<ObservationRows> rows_of_npy(std::unique_ptr<InputFile> file, Table about,
                                             OpenSource open);

}  // namespace geotherm::detail
