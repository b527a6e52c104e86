// A map as an FCS 3.1 file of float32, little-endian: what cytometry programs open beside the data.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "io/atomic_file.hpp"
#include "io/formats.hpp"

namespace geotherm::detail {
namespace {

std::string padded(std::size_t number, std::size_t width) {
  std::string text = std::to_string(number);
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

// The delimiter inside a value is written twice.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c;
    if (c == '/') result += c;
  }
  return result;
}

std::string keywords(MatrixView<const double> values, const std::vector<std::string>& names,
                     std::size_t data_begin, std::size_t data_end) {
  std::string text = "/$BEGINANALYSIS/0/$ENDANALYSIS/0/$BEGINSTEXT/0/$ENDSTEXT/0/$BEGINDATA/" +
                     padded(data_begin, 12) + "/$ENDDATA/" + padded(data_end, 12) +
                     "/$BYTEORD/1,2,3,4/$DATATYPE/F/$MODE/L/$NEXTDATA/0/$PAR/" +
                     std::to_string(values.cols) + "/$TOT/" + std::to_string(values.rows) + "/";
  for (std::size_t j = 0; j < values.cols; ++j) {
    double largest = 1;
    for (std::size_t i = 0; i < values.rows; ++i) largest = std::max(largest, values(i, j));
    const std::string number = std::to_string(j + 1);
    const std::string name =
        names.empty() || names[j].empty() ? std::string("x").append(number) : names[j];
    text += "$P" + number + "N/" + escaped(name) + "/$P" + number + "B/32/$P" + number +
            "E/0,0/$P" + number + "R/" +
            std::to_string(static_cast<long long>(std::min(std::ceil(largest), 4e18))) + "/";
  }
  return text;
}

}  // namespace

void write_fcs(const std::string& path, MatrixView<const double> values,
               const std::vector<std::string>& column_names) {
  constexpr std::size_t text_begin = 58;
  // The length of the text does not depend on the offsets in it, which are padded.
  const std::size_t text_end = text_begin + keywords(values, column_names, 0, 0).size() - 1;
  const std::size_t data_begin = text_end + 1;
  const std::size_t n_bytes = values.rows * values.cols * sizeof(float);
  const std::size_t data_end = data_begin + n_bytes - (n_bytes > 0 ? 1 : 0);
  const bool is_large = data_end > 99'999'999;
  AtomicFile file(path);
  file.write("FCS3.1    " + padded(text_begin, 8) + padded(text_end, 8) +
             padded(is_large ? 0 : data_begin, 8) + padded(is_large ? 0 : data_end, 8) +
             padded(0, 8) + padded(0, 8));
  file.write(keywords(values, column_names, data_begin, data_end));
  std::vector<float> row(values.cols);
  for (std::size_t i = 0; i < values.rows; ++i) {
    for (std::size_t j = 0; j < values.cols; ++j) row[j] = static_cast<float>(values(i, j));
    file.write({reinterpret_cast<const char*>(row.data()), row.size() * sizeof(float)});
  }
  file.commit();
}

}  // namespace geotherm::detail
