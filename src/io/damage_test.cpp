// Files damaged at random: whatever the bytes, the answer is a table or an IoError.
#include "io/test_files.hpp"

namespace geotherm {
namespace {

using testing::npy;
using testing::raw;

class Damaged : public testing::FolderTest {
 protected:
  // Flips, cuts, doubles or overwrites bytes of `whole` again and again and reads the result.
  template <class Read>
  void expect_only_io_errors(const std::string& whole, const std::string& name, Read read) {
    Rng rng(7, "io.damage");
    int n_refused = 0, n_read = 0;
    for (int round = 0; round < 2000; ++round) {
      std::string bytes = whole;
      const std::uint64_t n_changes = 1 + rng.below(4);
      for (std::uint64_t i = 0; i < n_changes && !bytes.empty(); ++i) {
        const std::size_t at = rng.below(bytes.size());
        switch (rng.below(5)) {
          case 0:
            bytes.resize(at);
            break;
          case 1:
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << rng.below(8)));
            break;
          case 2:
            bytes[at] = static_cast<char>(rng.below(2) == 0 ? 0xFF : rng.below(256));
            break;
          case 3:
            bytes.erase(at, 1 + rng.below(9));
            break;
          default:
            bytes.insert(at, bytes.substr(rng.below(bytes.size()), 1 + rng.below(20)));
        }
      }
      const std::string file = made(name, bytes);
      try {
        read(file);
        ++n_read;
      } catch (const IoError& error) {
        ASSERT_NE(std::string(error.what()).find(file), std::string::npos) << error.what();
        ++n_refused;
      } catch (const std::exception& error) {
        FAIL() << "round " << round << " let this escape: " << error.what();
      }
    }
    // The damage must matter often, or the test shows nothing.
    EXPECT_GT(n_refused, 200) << n_read;
  }
};

TEST_F(Damaged, NpyIsReadOrRefused) {
  const std::string whole = npy("<f8", "(4, 3)", raw(std::vector<double>(12, 1.5)));
  expect_only_io_errors(whole, "a.npy", [](const std::string& file) { read_table(file); });
}

TEST_F(Damaged, NpzIsReadOrRefused) {
  const std::string table = npy("<f4", "(4, 3)", raw(std::vector<float>(12, 1.5)), true);
  const std::string text = npy("<U2", "(3,)", raw<std::uint32_t>({'a', 'b', 'c', 0, 'd', 0}));
  const auto read_all = [](const std::string& file) {
    for (const ArrayInfo& info : list_npz(file)) read_npz_array(file, info.name);
    read_table(file);
  };
  for (const bool is_deflated : {false, true}) {
    expect_only_io_errors(
        testing::zip({{"X.npy", table, is_deflated}, {"text.npy", text, is_deflated}}), "a.npz",
        read_all);
  }
  write_npz(path("own.npz"), {{"X", {2, 2}, std::vector<double>{1, 2, 3, 4}}});
  expect_only_io_errors(content("own.npz"), "a.npz", read_all);
}

TEST_F(Damaged, TextIsReadOrRefused) {
  const auto read = [](const std::string& file) { read_table(file); };
  expect_only_io_errors("id,x1,x2\na,1.5,2\n\"b,\"\"c\",3,-4e-3\n\"d\ne\",5,6\n", "a.csv", read);
  expect_only_io_errors("1\t2\n3\t4\n5\t6.25\n", "a.tsv", read);
  expect_only_io_errors("# x y z\n1 2 3\r\n4 5 6\r\n+7 8e1 inf\n", "a.txt", read);
}

}  // namespace
}  // namespace geotherm
