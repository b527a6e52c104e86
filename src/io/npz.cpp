// .npz files: a zip archive with one .npy member an array. In: a path and a key, or arrays.
// Out: the list of arrays, one of them, or the file.
#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "core/utf8.hpp"
#include "geotherm/io.hpp"
#include "io/formats.hpp"
#include "io/npy.hpp"
#include "io/npy_rows.hpp"
#include "io/zip.hpp"

namespace geotherm {
namespace detail {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are written as they lie in memory");

constexpr std::string_view kEnding = ".npy";

std::string key_of(const ZipMember& member) {
  return member.name.substr(0, member.name.size() - kEnding.size());
}

// The arrays among the members; a file may carry others, which numpy ignores too.
std::vector<ZipMember> array_members(const InputFile& file) {
  std::vector<ZipMember> members = read_zip_directory(file);
  std::erase_if(members, [](const ZipMember& member) { return !member.name.ends_with(kEnding); });
  std::set<std::string_view> seen;
  for (const ZipMember& member : members) {
    if (!seen.insert(member.name).second) {
      throw IoError(file.path() + ": holds two arrays named '" + key_of(member) + "'");
    }
  }
  return members;
}

std::vector<ArrayInfo> list_arrays(const InputFile& file, const std::vector<ZipMember>& members) {
  std::vector<ArrayInfo> infos;
  for (const ZipMember& member : members) {
    const auto source = open_zip_member(file, member);
    const NpyHeader header = read_npy_header(*source);
    infos.push_back({.name = key_of(member),
                     .dtype = header.dtype,
                     .shape = header.shape,
                     .is_numeric = header.is_numeric()});
  }
  return infos;
}

std::string choices(const std::vector<ArrayInfo>& infos) {
  std::string text;
  for (const ArrayInfo& info : infos) {
    text += "\n  " + info.name + "  " + info.dtype + "  " + shape_in_words(info.shape);
  }
  return text.empty() ? " (the file holds no arrays)" : text;
}

const ZipMember& member_for(const InputFile& file, const std::vector<ZipMember>& members,
                            const std::string& key) {
  for (const ZipMember& member : members) {
    if (key == key_of(member) || key == member.name) return member;
  }
  throw IoError(file.path() + ": holds no array '" + key + "'; give " + file.path() +
                ":KEY, one of:" + choices(list_arrays(file, members)));
}

std::string key_of_only_table(const InputFile& file, const std::vector<ArrayInfo>& infos) {
  std::string key;
  int n_tables = 0;
  for (const ArrayInfo& info : infos) {
    if (!info.is_numeric || info.shape.size() != 2) continue;
    if (info.name == "X") return info.name;  // what `synth` and most of the field call the points
    key = info.name;
    ++n_tables;
  }
  if (n_tables == 1) return key;
  throw IoError(file.path() + ": holds " + (n_tables == 0 ? "no" : std::to_string(n_tables)) +
                " two-dimensional numeric arrays, so that the one meant is unclear; give " +
                file.path() + ":KEY, one of:" + choices(infos));
}

ZipMember member_of_table(const InputFile& file, const std::string& key) {
  const std::vector<ZipMember> members = array_members(file);
  const std::string chosen =
      key.empty() ? key_of_only_table(file, list_arrays(file, members)) : key;
  return member_for(file, members, chosen);
}

Table words_for(const InputFile& file, const ZipMember& member, const NpyHeader& header,
                const std::string& key) {
  Table table;
  table.source = file.path() + ":" + key_of(member);
  table.assumed = "array '" + key_of(member) + "' (" + type_in_words(header) + ")" +
                  (key.empty() ? ", the only two-dimensional numeric one in the file" : "");
  return table;
}

template <class T>
std::string_view bytes_of(const T* data, std::size_t n) {
  return {reinterpret_cast<const char*>(data), n * sizeof(T)};
}

// Text is written as fixed-width UTF-32, the form in which numpy keeps it.
void produce_text(const NamedArray& array, const std::vector<std::string>& texts,
                  const ZipWriter::Sink& sink) {
  std::vector<std::uint32_t> codes;
  const auto decode = [&](const std::string& text) {
    codes.clear();
    for (std::size_t at = 0; at < text.size();) codes.push_back(next_code_point(text, at));
  };
  std::size_t width = 1;
  for (const std::string& text : texts) {
    decode(text);
    width = std::max(width, codes.size());
  }
  sink(npy_header_bytes("<U" + std::to_string(width), array.shape));
  for (const std::string& text : texts) {
    decode(text);
    codes.resize(width, 0);
    sink(bytes_of(codes.data(), width));
  }
}

void produce_array(const NamedArray& array, const ZipWriter::Sink& sink) {
  std::visit(
      [&](const auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_same_v<T, std::string>) {
          produce_text(array, values, sink);
        } else {
          constexpr std::string_view dtype = std::is_same_v<T, double>  ? "<f8"
                                             : std::is_same_v<T, float> ? "<f4"
                                                                        : "<i8";
          sink(npy_header_bytes(dtype, array.shape));
          sink(bytes_of(values.data(), values.size()));
        }
      },
      array.values);
}

std::vector<std::string> issues_with_arrays(const std::vector<NamedArray>& arrays) {
  std::vector<std::string> issues;
  std::set<std::string_view> names;
  for (const NamedArray& array : arrays) {
    if (array.name.empty()) issues.push_back("an array has no name (give each a key)");
    if (!names.insert(array.name).second) {
      issues.push_back("two arrays are named '" + array.name + "' (give each its own key)");
    }
    std::size_t count = 1;
    for (const std::size_t extent : array.shape) count *= extent;
    const std::size_t n =
        std::visit([](const auto& values) { return values.size(); }, array.values);
    if (count != n) {
      issues.push_back("array '" + array.name + "' has " + std::to_string(n) +
                       " values, but its shape is " + shape_in_words(array.shape));
    }
  }
  return issues;
}

}  // namespace

Table read_npz_table(const std::string& path, const std::string& key) {
  const InputFile file(path);
  const ZipMember member = member_of_table(file, key);
  const auto source = open_zip_member(file, member);
  const NpyHeader header = read_npy_header(*source);
  Table table = words_for(file, member, header, key);
  read_npy_matrix(header, *source, table);
  return table;
}

std::unique_ptr<ObservationRows> open_npz_rows(const std::string& path, const std::string& key) {
  auto file = std::make_unique<InputFile>(path);
  const ZipMember member = member_of_table(*file, key);
  const NpyHeader header = read_npy_header(*open_zip_member(*file, member));
  Table table = words_for(*file, member, header, key);
  return rows_of_npy(std::move(file), std::move(table),
                     [member](const InputFile& opened) { return open_zip_member(opened, member); });
}

void write_npz_table(const std::string& path, const std::string& key,
                     MatrixView<const double> values) {
  AtomicFile file(path);
  ZipWriter zip(file);
  zip.add(key + std::string(kEnding),
          [&](const ZipWriter::Sink& sink) { write_npy_matrix(values, sink); });
  zip.finish();
  file.commit();
}

}  // namespace detail

std::vector<ArrayInfo> list_npz(const std::string& path) {
  const detail::InputFile file(path);
  return detail::list_arrays(file, detail::array_members(file));
}

NamedArray read_npz_array(const std::string& path, const std::string& key) {
  const detail::InputFile file(path);
  const std::vector<detail::ZipMember> members = detail::array_members(file);
  const detail::ZipMember& member = detail::member_for(file, members, key);
  const auto source = detail::open_zip_member(file, member);
  const detail::NpyHeader header = detail::read_npy_header(*source);
  return detail::read_npy_array(header, *source, detail::key_of(member));
}

void write_npz(const std::string& path, const std::vector<NamedArray>& arrays) {
  refuse_if_any(detail::issues_with_arrays(arrays));
  detail::AtomicFile file(path);
  detail::ZipWriter zip(file);
  for (const NamedArray& array : arrays) {
    zip.add(array.name + std::string(detail::kEnding),
            [&](const detail::ZipWriter::Sink& sink) { detail::produce_array(array, sink); });
  }
  zip.finish();
  file.commit();
}

}  // namespace geotherm
