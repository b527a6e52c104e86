#include "time_courses.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <fstream>

#include "geotherm/io.hpp"
#include "geotherm/observations.hpp"
#include "mat.hpp"

namespace geotherm::cli {
namespace {

/// The first number in a text: "Day 06-09" is 6.
double number_in(const std::string& text, const std::string& where) {
  const auto digit =
      std::find_if(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  double value = 0;
  const char* begin = text.data() + (digit - text.begin());
  const char* end = text.data() + text.size();
  if (std::from_chars(begin, end, value).ec != std::errc{}) {
    throw IoError(fmt::format("{}: '{}' names no time", where, text));
  }
  return value;
}

std::vector<double> numbers_of(const NamedArray& array, const std::string& where) {
  return std::visit(
      [&](const auto& values) {
        std::vector<double> numbers;
        for (const auto& value : values) {
          if constexpr (std::is_convertible_v<decltype(value), double>) {
            numbers.push_back(static_cast<double>(value));
          } else {
            numbers.push_back(number_in(value, where));
          }
        }
        return numbers;
      },
      array.values);
}

Matrix<double> matrix_of(const NamedArray& array, const std::string& where) {
  if (array.shape.size() != 2) {
    throw IoError(fmt::format("{}: '{}' is no table of cells", where, array.name));
  }
  const std::vector<double> values = numbers_of(array, where);
  Matrix<double> matrix(array.shape[0], array.shape[1]);
  std::copy(values.begin(), values.end(), matrix.data());
  return matrix;
}

Cells from_h5ad(const TimeCourse& course, const std::string& path) {
  const Observations read = read_observations(
      path, {.use = fmt::format("obsm:{}", course.points), .label_column = course.time});
  Cells cells = {.points = densified(read).to_double(), .time = {}, .labels = {}};
  if (const auto* numbers = std::get_if<std::vector<double>>(&read.labels.values)) {
    cells.time = *numbers;
  } else {
    for (const auto& text : std::get<Texts>(read.labels.values)) {
      cells.time.push_back(number_in(text, path));
    }
  }
  return cells;
}

}  // namespace

std::filesystem::path file_of(const TimeCourse& course, const ReproduceSettings& settings) {
  auto found = data_file(settings, course.file);
  if (!found.empty()) return found;
  const char* fetched = std::getenv("GEOTHERM_CELLS");
  if (fetched == nullptr) return {};
  const auto path = std::filesystem::path(fetched) / course.file;
  return std::filesystem::exists(path) ? path : std::filesystem::path();
}

nlohmann::json fingerprint(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  std::vector<char> block(std::size_t{1} << 16);
  while (file.read(block.data(), std::ssize(block)) || file.gcount() > 0) {
    for (std::streamsize i = 0; i < file.gcount(); ++i) {
      hash =
          (hash ^ static_cast<unsigned char>(block[static_cast<std::size_t>(i)])) * 1099511628211u;
    }
  }
  return fmt::format("{} {:016x}", path.filename().string(), hash);
}

Cells read_cells(const TimeCourse& course, const std::filesystem::path& path, const char* labels) {
  const std::string where = path.string();
  Cells cells;
  if (path.extension() == ".h5ad") {
    cells = from_h5ad(course, where);
  } else {
    const auto read = [&](const char* name) {
      return path.extension() == ".mat" ? read_mat_array(where, name) : read_npz_array(where, name);
    };
    cells.points = matrix_of(read(course.points), where);
    cells.time = numbers_of(read(course.time), where);
    if (labels != nullptr) {
      const NamedArray array = read(labels);
      const auto* texts = std::get_if<std::vector<std::string>>(&array.values);
      if (texts == nullptr) throw IoError(fmt::format("{}: '{}' holds no texts", where, labels));
      cells.labels = *texts;
    }
  }
  if (cells.time.size() != cells.points.rows() ||
      (labels != nullptr && cells.labels.size() != cells.points.rows())) {
    throw IoError(fmt::format("{}: {} cells, {} times and {} labels do not fit", where,
                              cells.points.rows(), cells.time.size(), cells.labels.size()));
  }
  return cells;
}

Cells taken(const Cells& cells, std::span<const Index> rows) {
  Cells some = {
      .points = Matrix<double>(rows.size(), cells.points.cols()), .time = {}, .labels = {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    std::copy_n(cells.points.row(row).begin(), cells.points.cols(), some.points.row(i).begin());
    some.time.push_back(cells.time[row]);
    if (!cells.labels.empty()) some.labels.push_back(cells.labels[row]);
  }
  return some;
}

}  // namespace geotherm::cli
