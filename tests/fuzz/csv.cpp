// Text tables, plain or packed. The first byte chooses the ending and what is asked for.
#include "harness.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace geotherm::fuzz;
  if (size < 1) return 0;
  constexpr const char* names[] = {"a.csv", "a.tsv", "a.txt", "a.csv.gz"};
  geotherm::ReadOptions options;
  if ((data[0] & 4) != 0) options.label_column = "label";
  if ((data[0] & 8) != 0) options.columns = {"x1", "x2"};
  read_all(scratch().file(names[data[0] & 3], text_of(data + 1, size - 1)), options);
  return 0;
}
