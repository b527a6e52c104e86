#include "io/npy_rows.hpp"

#include <algorithm>

#include "io/npy.hpp"

namespace geotherm::detail {
namespace {

class NpyRows final : public ObservationRows {
 public:
  NpyRows(std::unique_ptr<InputFile> file, Table about, OpenSource open)
      : file_(std::move(file)), about_(std::move(about)), open_(std::move(open)) {
    rewind();
    std::tie(rows_, cols_) = npy_matrix_shape(header_, *source_);
  }

  bool is_by_row() const { return !header_.is_fortran || cols_ == 1; }
  std::size_t rows() const override { return rows_; }
  std::size_t cols() const override { return cols_; }
  std::size_t n_bytes() const override {
    return rows_ * cols_ * (header_.is_single() ? sizeof(float) : sizeof(double));
  }
  void rewind() override {
    source_ = open_(*file_);
    header_ = read_npy_header(*source_);
    at_ = 0;
  }
  std::size_t next(MatrixView<double> out) override {
    const std::size_t n = std::min(out.rows, rows_ - at_);
    if (out.stride == cols_) {
      read_npy_values(header_, *source_, n * cols_, out.data);
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        read_npy_values(header_, *source_, cols_, out.row(i).data());
      }
    }
    at_ += n;
    return n;
  }
  Observations about() const override {
    Observations result;
    result.table = about_;
    return result;
  }

 private:
  std::unique_ptr<InputFile> file_;
  Table about_;
  OpenSource open_;
  std::unique_ptr<ByteSource> source_;
  NpyHeader header_;
  std::size_t rows_ = 0, cols_ = 0, at_ = 0;
};

}  // namespace

std::unique_ptr<ObservationRows> rows_of_npy(std::unique_ptr<InputFile> file, Table about,
                                             OpenSource open) {
  auto rows = std::make_unique<NpyRows>(std::move(file), std::move(about), std::move(open));
  if (!rows->is_by_row()) return nullptr;
  return rows;
}

}  // namespace geotherm::detail
