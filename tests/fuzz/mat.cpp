// MATLAB files: the variable that the seeds have.
#include "mat.hpp"

#include "harness.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace geotherm;
  using namespace geotherm::fuzz;
  const std::string path = scratch().file("a.mat", text_of(data, size));
  read_or_refuse(path, [&] {
    const NamedArray array = read_mat_array(path, "data");
    require(array.shape.size() == 2, "a matrix has rows and columns");
    require(array.shape[0] * array.shape[1] == std::get<std::vector<double>>(array.values).size(),
            "an array has as many values as its shape says");
  });
  return 0;
}
