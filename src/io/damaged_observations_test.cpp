// The formats of other tools, damaged at random: the answer is data or an IoError.
#include "geotherm/observations.hpp"
#include "io/test_files.hpp"

namespace geotherm {
namespace {

class DamagedForeignFile : public testing::FolderTest {
 protected:
  void expect_only_io_errors(const std::string& name, int n_rounds) {
    const std::filesystem::path folder = GEOTHERM_SOURCE_DIR "/tests/reference/io";
    std::ifstream in(folder / name, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    ASSERT_FALSE(whole.empty());
    Rng rng(11, "io.damage");
    int n_refused = 0;
    for (int round = 0; round < n_rounds; ++round) {
      std::string bytes = whole;
      for (std::uint64_t i = 0, n = 1 + rng.below(6); i < n && !bytes.empty(); ++i) {
        const std::size_t at = rng.below(bytes.size());
        switch (rng.below(4)) {
          case 0:
            bytes.resize(at);
            break;
          case 1:
            bytes[at] = static_cast<char>(rng.below(2) == 0 ? 0xFF : rng.below(256));
            break;
          case 2:
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << rng.below(8)));
            break;
          default:
            bytes.erase(at, 1 + rng.below(9));
        }
      }
      const std::string file = made("damaged_" + name, bytes);
      try {
        read_observations(file);
      } catch (const IoError& error) {
        ASSERT_NE(std::string(error.what()).find(file), std::string::npos) << error.what();
        ++n_refused;
      } catch (const std::exception& error) {
        FAIL() << "round " << round << " let this escape: " << error.what();
      }
    }
    EXPECT_GT(n_refused, n_rounds / 10);
  }
};

TEST_F(DamagedForeignFile, FlowCytometryIsReadOrRefused) {
  expect_only_io_errors("flow.fcs", 2000);
}
TEST_F(DamagedForeignFile, MatrixMarketIsReadOrRefused) {
  expect_only_io_errors("general.mtx", 2000);
  expect_only_io_errors("symmetric.mtx", 1000);
  expect_only_io_errors("array.mtx", 1000);
}
TEST_F(DamagedForeignFile, PackedTextIsReadOrRefused) {
  expect_only_io_errors("labelled.csv.gz", 2000);
  expect_only_io_errors("labelled.tsv", 1000);
}
TEST_F(DamagedForeignFile, Hdf5IsReadOrRefused) {
  if (!has_hdf5()) GTEST_SKIP() << "SKIPPED: built without HDF5";
  expect_only_io_errors("dense.h5ad", 300);
  expect_only_io_errors("whole.h5ad", 200);
  expect_only_io_errors("tenx_v3.h5", 300);
}

}  // namespace
}  // namespace geotherm
