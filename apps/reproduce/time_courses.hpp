// Cells seen at several times, from the files that hold them; for the experiments on interpolation
// and on the order of time.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "experiment.hpp"

namespace geotherm::cli {

/// A data set as it was published or fetched: which file, and what in it is points and time.
struct TimeCourse {
  const char* name;
  const char* file;
  const char* points;  ///< array of the file; of .h5ad: of obsm
  const char* time;    ///< array of the file; of .h5ad: column of obs
};

struct Cells {
  Matrix<double> points;
  std::vector<double> time;
  std::vector<std::string> labels;  ///< empty: none were asked for
};

/// Where the file is: the data folder, else the folder that GEOTHERM_CELLS names (for the files
/// that bench/fetch_cells.py makes); empty where it is in neither.
std::filesystem::path file_of(const TimeCourse&, const ReproduceSettings&);
/// For the key of a job: the file's name and a hash of its bytes.
nlohmann::json fingerprint(const std::filesystem::path&);

/// Reads .npz, .mat and .h5ad. Times that are texts ("Day 00-03") count by their first number.
Cells read_cells(const TimeCourse&, const std::filesystem::path&, const char* labels = nullptr);

/// The rows given, in their order.
Cells taken(const Cells&, std::span<const Index> rows);

}  // namespace geotherm::cli
