// The table of file formats: each described once, by its endings and by what it can do. A new
// format is a file src/io/format_NAME.cpp and a line in src/io/formats.def.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "geotherm/io.hpp"
#include "geotherm/observations.hpp"

namespace geotherm {

/// A path in its parts: "a.CSV.gz" is {path, ".csv", packed}, "a.npz:key" has a key.
struct FileName {
  std::string path;    ///< without the key
  std::string ending;  ///< lower case, a trailing ".gz" aside; empty: none
  std::string key;
  bool is_packed = false;  ///< ends in .gz
};
FileName file_name(const std::string& path);

struct TableToWrite {
  MatrixView<const double> values = {};
  const std::vector<std::string>& row_names;
  const std::vector<std::string>& column_names;
  std::string key = {};  ///< where the format has keys and the path none
};

/// One row of the table. Functions that a format does not have are null.
struct Format {
  std::string_view name;                       ///< "NumPy arrays"
  std::vector<std::string_view> endings = {};  ///< the usual one first; empty: a folder
  bool may_be_packed = false;                  ///< NAME.gz too
  bool has_keys = false;                       ///< several arrays, FILE:key
  bool has_uses = false;                       ///< reads ReadOptions::use
  bool has_label_columns = false;              ///< reads ReadOptions::label_column
  bool selects_columns = false;                ///< reads ReadOptions::columns and drop by itself
  /// Whether the first bytes of a file look like it: for files whose name does not say.
  bool (*sniff)(std::string_view first_bytes) = nullptr;
  /// Null: always.
  bool (*is_available)() noexcept = nullptr;
  Observations (*read)(const FileName&, const ReadOptions&) = nullptr;
  /// Rows in blocks; itself null for what has to be read whole.
  std::unique_ptr<ObservationRows> (*open_rows)(const FileName&, const ReadOptions&) = nullptr;
  void (*write)(const FileName&, const TableToWrite&) = nullptr;

  bool is_folder() const { return endings.empty(); }
};

/// In the order in which help shows them.
std::span<const Format> formats();
/// By the ending, or the folder; null where none has it. Packed names only where that is read.
const Format* format_of(const FileName&);
/// By the first bytes of a file; null where it looks like none.
const Format* sniffed_format(const std::string& path);
/// Endings of the formats that are read (or written), in order: {".csv", ...}.
std::vector<std::string> readable_endings();
std::vector<std::string> writable_endings();
/// ".csv .tsv .txt .mtx (also .gz), .npy, .npz (file.npz:key), ..., or a 10x folder".
std::string readable_in_words();

}  // namespace geotherm
