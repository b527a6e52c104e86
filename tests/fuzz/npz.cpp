// Archives of arrays: the directory, every array in it, and the one that is taken without a name.
#include "harness.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace geotherm;
  using namespace geotherm::fuzz;
  const std::string path = scratch().file("a.npz", text_of(data, size));
  std::vector<ArrayInfo> listed;
  read_or_refuse(path, [&] { listed = list_npz(path); });
  if (listed.size() > 16) listed.resize(16);
  for (const ArrayInfo& info : listed) {
    read_or_refuse(path, [&] {
      const NamedArray array = read_npz_array(path, info.name);
      std::size_t n = 1;
      for (const std::size_t extent : array.shape) n *= extent;
      const std::size_t n_read =
          std::visit([](const auto& values) { return values.size(); }, array.values);
      require(n == n_read, "an array has as many values as its shape says");
    });
  }
  read_all(path);
  return 0;
}
