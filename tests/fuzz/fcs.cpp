// Flow cytometry files.
#include "harness.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace geotherm::fuzz;
  read_all(scratch().file("a.fcs", text_of(data, size)));
  return 0;
}
