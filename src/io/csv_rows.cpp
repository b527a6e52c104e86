// Delimited text read in blocks of rows. In: a file. Out: rows, one window of the file after the
// other, as read_csv would give them all; nothing but the window is in memory.
#include <algorithm>
#include <optional>

#include "io/csv_body.hpp"
#include "io/csv_text.hpp"
#include "io/formats.hpp"
#include "io/input_file.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t kStep = std::size_t{1} << 22;  // bytes read at a time
/// A record of more bytes than this is not waited for: its quotes do not end.
constexpr std::size_t kLongestRecord = std::size_t{1} << 26;
/// Lines that are looked at for separator, header and columns of text, and some more.
constexpr std::size_t kLinesOfHead = 64;

class CsvRows final : public ObservationRows {
 public:
  CsvRows(const std::string& path, const std::string& ending, const ReadOptions& options)
      : file_(path) {
    do {
      read_more();
    } while (!is_at_end() && std::count(window_.begin(), window_.end(), '\n') <
                                 static_cast<std::ptrdiff_t>(kLinesOfHead));
    const std::string_view head = clean_text(whole_lines(), path);
    layout_ = find_csv_layout(head, ending, path, {options.decimal, options.thousands});
    columns_ = choose_csv_columns(head, layout_, options, path);
    first_byte_ = static_cast<std::size_t>(head.data() - window_.data()) + layout_.data_offset;
    const auto n_lines = static_cast<std::size_t>(std::count(head.begin(), head.end(), '\n')) + 1;
    const double line = static_cast<double>(head.size()) / static_cast<double>(n_lines);
    rows_ = static_cast<std::size_t>(static_cast<double>(file_.size()) / std::max(line, 1.0));
    rewind();
  }

  std::size_t rows() const override { return rows_; }
  std::size_t cols() const override { return columns_.n_values; }
  std::size_t n_bytes() const override { return rows_ * cols() * sizeof(double); }

  void rewind() override {
    window_.clear();
    next_byte_ = first_byte_;
    n_read_ = 0;
    if (!is_known_) row_names_.clear(), labels_.clear();
    read_more();
    body_.emplace(whole_lines(), layout_.first_data_line, layout_, columns_, file_.path());
  }

  std::size_t next(MatrixView<double> out) override {
    for (std::size_t i = 0; i < out.rows; ++i) {
      while (body_->done() && !is_at_end()) go_on();
      if (body_->done()) {
        rows_ = n_read_;
        is_known_ = true;
        return i;
      }
      read_row(out.row(i).data());
      ++n_read_;
      if (is_known_) continue;
      if (!columns_.label.empty()) labels_.push_back(body_->label());
      if (layout_.has_names) row_names_.push_back(body_->name());
    }
    return out.rows;
  }

  Observations about() const override {
    Observations result;
    result.table.row_names = row_names_;
    result.table.column_names = columns_.names;
    result.table.source = file_.path();
    result.table.assumed = layout_.in_words + columns_.in_words;
    if (!columns_.label.empty()) result.labels = column_of_cells(columns_.label, labels_);
    return result;
  }

 private:
  bool is_at_end() const { return next_byte_ == file_.size(); }

  void read_more() {
    const std::size_t n = std::min(kStep, file_.size() - next_byte_);
    const std::size_t before = window_.size();
    window_.resize(before + n);
    file_.read_at(next_byte_, window_.data() + before, n);
    next_byte_ += n;
  }

  // Up to the last line break, or the whole of what the file ends with.
  std::string_view whole_lines() const {
    const std::string_view text(window_.data(), window_.size());
    if (is_at_end()) return without_blank_end(text);
    return text.substr(0, text.rfind('\n') + 1);
  }

  // Keeps what has not been read and adds to it.
  void go_on() {
    window_.erase(window_.begin(), window_.begin() + (body_->position() - window_.data()));
    read_more();
    body_->move_to(whole_lines());
  }

  // A record may go on over a line break, and so over the end of the window; a blank line may be
  // the first of those that the file ends with. Either is known only with more of the file.
  void read_row(double* row) {
    for (;;) {
      const char* const before = body_->position();
      try {
        return body_->next(row);
      } catch (const IoError&) {
        const bool may_go_on =
            body_->position() == before && !is_at_end() && window_.size() < kLongestRecord + kStep;
        if (!may_go_on) throw;
      }
      go_on();
    }
  }

  InputFile file_;
  Bytes window_;
  std::size_t next_byte_ = 0;   // of the file, after the window
  std::size_t first_byte_ = 0;  // of the first row
  CsvLayout layout_;
  CsvColumns columns_;
  std::optional<CsvBody> body_;
  std::size_t n_read_ = 0, rows_ = 0;
  bool is_known_ = false;  // read to the end once
  std::vector<std::string> row_names_, labels_;
};

}  // namespace

std::unique_ptr<ObservationRows> open_csv_rows(const std::string& path, const std::string& ending,
                                               const ReadOptions& options) {
  {
    const InputFile file(path);
    char start[2] = {};
    if (file.size() >= sizeof start) file.read_at(0, start, sizeof start);
    if (path.ends_with(".gz") || (start[0] == '\x1f' && start[1] == '\x8b')) return nullptr;
  }
  return std::make_unique<CsvRows>(path, ending, options);
}

}  // namespace geotherm::detail
