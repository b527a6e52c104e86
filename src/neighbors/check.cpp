#include "neighbors/check.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace geotherm::detail {

void refuse_unless_square_and_non_negative(const SparseMatrix& m, std::string_view name) {
  const std::string prefix = std::string(name) + ": ";
  const auto refuse = [&](const std::string& what) { throw InvalidArgument(prefix + what); };
  if (m.rows != m.cols || m.rows == 0) {
    refuse("a table of all points by all points is needed, this one is " + std::to_string(m.rows) +
           " x " + std::to_string(m.cols));
  }
  if (m.rows > static_cast<std::size_t>(std::numeric_limits<Index>::max())) {
    refuse(std::to_string(m.rows) + " rows are more than an index can count (2^31 - 1)");
  }
  if (m.offsets.size() != m.rows + 1 || m.offsets.front() != 0 ||
      m.offsets.back() != m.indices.size() || m.indices.size() != m.values.size()) {
    refuse("offsets, indices and values do not fit together; is it in compressed row form?");
  }
  for (std::size_t i = 0; i < m.rows; ++i) {
    if (m.offsets[i] > m.offsets[i + 1] || m.offsets[i + 1] > m.indices.size()) {
      refuse("offsets fall at row " + std::to_string(i));
    }
    Index last = -1;
    for (std::size_t k = m.offsets[i]; k < m.offsets[i + 1]; ++k) {
      const Index j = m.indices[k];
      if (j <= last || static_cast<std::size_t>(j) >= m.cols) {
        refuse("column " + std::to_string(j) + " in row " + std::to_string(i) +
               " is out of range or out of order; sort the columns and sum duplicates first");
      }
      last = j;
      if (!std::isfinite(m.values[k]) || m.values[k] < 0) {
        refuse("the value " + std::to_string(m.values[k]) + " in row " + std::to_string(i) +
               ", column " + std::to_string(j) + " is negative or not finite");
      }
    }
  }
}

}  // namespace geotherm::detail
