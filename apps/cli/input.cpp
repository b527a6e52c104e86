#include "input.hpp"

#include <fmt/core.h>

namespace geotherm::cli {

Input LoadedInput::input() const {
  if (!distances.empty()) return {.distances = distances.view()};
  if (const auto* single = std::get_if<Matrix<float>>(&table.values)) {
    return {.points32 = single->view()};
  }
  return {.points = std::get<Matrix<double>>(table.values).view()};
}

std::string LoadedInput::in_words() const {
  const std::size_t rows = distances.empty() ? table.rows() : distances.rows();
  const std::size_t cols = distances.empty() ? table.cols() : distances.cols();
  return fmt::format("{}: {} x {}{}{}", table.source, rows, cols, table.assumed.empty() ? "" : ", ",
                     table.assumed);
}

LoadedInput load_input(const std::string& path, bool is_precomputed) {
  LoadedInput loaded{read_table(path), {}};
  const Table& table = loaded.table;
  if (table.rows() < 2) {
    throw InvalidData(fmt::format("{}: the table has {} row{}; a map needs at least 2 points", path,
                                  table.rows(), table.rows() == 1 ? "" : "s"));
  }
  try {
    std::visit([](const auto& values) { require_finite(values.view()); }, table.values);
  } catch (const InvalidData& e) {
    throw InvalidData(path + ": " + e.what());
  }
  if (is_precomputed) {
    if (table.rows() != table.cols()) {
      throw InvalidData(fmt::format("{}: a distance matrix is square, this table is {} x {}", path,
                                    table.rows(), table.cols()));
    }
    loaded.distances = table.to_double();
    loaded.table.values = Matrix<double>();
  }
  return loaded;
}

Colors colors_beside(const std::string& path, std::size_t n_rows) {
  const auto [file, key] = split_key(path);
  if (!file.ends_with(".npz")) return {};
  for (const char* name : {"label", "t"}) {
    for (const ArrayInfo& info : list_npz(file)) {
      if (info.name != name || info.shape.size() != 1 || info.shape[0] != n_rows) continue;
      const NamedArray array = read_npz_array(file, name);
      Colors colors{name, {}, {}};
      std::visit(
          [&](const auto& values) {
            for (const auto& value : values) {
              using T = std::decay_t<decltype(value)>;
              if constexpr (std::is_floating_point_v<T>) {
                colors.values.push_back(static_cast<double>(value));
              } else {
                colors.categories.push_back(fmt::format("{}", value));
              }
            }
          },
          array.values);
      return colors;
    }
  }
  return {};
}

}  // namespace geotherm::cli
