// The HDF5 library behind a narrow public function. In: a path and names of objects. Out: shapes,
// numbers and text, or an IoError that names the file and the object. Nothing is allocated for
// sizes that the file could not hold.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "geotherm/core.hpp"
#include "geotherm/texts.hpp"
#include "io/input_file.hpp"

namespace geotherm::detail {

/// Closes what it holds; a negative identifier is an empty handle.
class H5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  H5Handle() = default;
  H5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  H5Handle(H5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  H5Handle& operator=(H5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~H5Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

enum class H5Kind { float32, float64, integer, boolean, text, other };

/// A file open for reading. Nothing outside of it is read, whatever it says: external links are not
/// followed, and arrays that keep their values elsewhere are refused.
class H5Reader {
 public:
  /// `group`: names are looked up in it instead of in the whole file.
  explicit H5Reader(const std::string& path, const std::string& group = {});

  const std::string& path() const { return path_; }
  bool has(const std::string& name) const;
  bool is_group(const std::string& name) const;
  /// In the order of their names.
  std::vector<std::string> names_in(const std::string& group) const;

  std::vector<std::size_t> shape(const std::string& dataset) const;
  H5Kind kind(const std::string& dataset) const;
  /// Throws where the dataset claims more than the file can hold.
  void require_size(const std::string& dataset) const;

  /// Empty where the attribute is absent or no text.
  std::string attribute_text(const std::string& object, const std::string& attribute) const;
  std::vector<std::string> attribute_texts(const std::string& object,
                                           const std::string& attribute) const;
  std::vector<std::size_t> attribute_sizes(const std::string& object,
                                           const std::string& attribute) const;

  /// All values in C order. `T` is float, double, std::int32_t or std::int64_t.
  template <class T>
  std::vector<T, UninitializedAllocator<T>> numbers(const std::string& dataset) const;
  /// The same into memory of the dataset's size.
  template <class T>
  void read_into(const std::string& dataset, T* out, std::size_t n) const;
  /// A dataset of one dimension, piece by piece from the front, each small enough for the
  /// processor's cache: what is done with it there costs no second trip to memory.
  template <class T>
  void read_pieces(const std::string& dataset,
                   const std::function<void(std::span<const T>)>& take) const;
  /// Rows `first`, `first` + 1, ... of a dataset of two dimensions, as many as `out` has.
  void read_rows(const std::string& dataset, std::size_t first, MatrixView<double> out) const;
  /// Values `first`, `first` + 1, ... of a dataset of one dimension, as many as `out` has. `T` is
  /// double or std::int64_t.
  template <class T>
  void read_slice(const std::string& dataset, std::size_t first, std::span<T> out) const;
  /// Bytes of one stored value.
  std::size_t item_size(const std::string& dataset) const;
  std::vector<std::string> texts(const std::string& dataset) const;
  /// The same, each distinct text once: read in pieces, for memory of the distinct ones.
  Texts distinct_texts(const std::string& dataset) const;

  [[noreturn]] void fail(const std::string& object, const std::string& what) const;

 private:
  /// Empty where the object has no such attribute.
  H5Handle attribute(const std::string& object, const std::string& name) const;
  H5Handle open_dataset(const std::string& name) const;
  std::size_t checked_size(hid_t dataset, const std::string& name) const;
  /// Where in the file values lie in one piece, as they are in memory; none: they have to be
  /// unpacked or converted.
  std::optional<std::size_t> offset_in_file(hid_t memory_type, hid_t dataset, hid_t creation,
                                            std::size_t n_bytes) const;
  void require_numbers(const std::string& name) const;
  [[noreturn]] void fail_to_read(hid_t dataset, const std::string& name) const;
  std::vector<std::string> read_texts(hid_t object, hid_t type, hid_t space, bool is_attribute,
                                      const std::string& name) const;
  /// Rows from `first` on, `n` of them, of a dataset of one dimension.
  std::vector<std::string> read_text_rows(hid_t dataset, hid_t type, hid_t space, hsize_t first,
                                          hsize_t n, const std::string& name) const;

  InputFile bytes_;
  std::string path_;
  std::size_t most_bytes_ = 0;  // that an array may take
  H5Handle whole_;
  H5Handle file_;    // or the group that stands for it
  H5Handle inside_;  // how links are followed
};

/// Stops the library from printing its own errors.
void silence_hdf5();

}  // namespace geotherm::detail
