// MatrixMarket files, plain or packed; and folders of 10x, whose three files are parted by the
// record separator (0x1e) of ASCII.
#include "harness.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace geotherm::fuzz;
  const std::string_view text = text_of(data, size);
  const std::size_t first = text.find('\x1e');
  if (first == std::string_view::npos) {
    read_all(scratch().file("a.mtx", text));
    return 0;
  }
  const std::size_t second = std::min(text.find('\x1e', first + 1), text.size());
  static const std::string folder = [] {
    std::string path = scratch().folder() + "/tenx";
    ::mkdir(path.c_str(), 0700);
    return path;
  }();
  scratch().file("tenx/matrix.mtx", text.substr(0, first));
  scratch().file("tenx/barcodes.tsv", text.substr(first + 1, second - first - 1));
  scratch().file("tenx/features.tsv", text.substr(std::min(second + 1, text.size())));
  read_all(folder);
  return 0;
}
