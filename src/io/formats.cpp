#include "geotherm/formats.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "io/formats.hpp"

namespace geotherm {
namespace detail {
#define GEOTHERM_FORMAT(name) Format name();
#include "io/formats.def"
#undef GEOTHERM_FORMAT
}  // namespace detail

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

/// Places in a (lower-case) path where a key may begin: past the colon of ".npz:".
std::vector<std::size_t> key_places(const std::string& path) {
  std::vector<std::size_t> places;
  for (const Format& format : formats()) {
    if (!format.has_keys) continue;
    for (const std::string_view ending : format.endings) {
      const std::string mark = std::string(ending) + ":";
      for (std::size_t at = path.find(mark); at != std::string::npos;
           at = path.find(mark, at + 1)) {
        places.push_back(at + mark.size());
      }
    }
  }
  std::ranges::sort(places);
  return places;
}

}  // namespace

std::span<const Format> formats() {
#define GEOTHERM_FORMAT(name) detail::name(),
  static const std::vector<Format> all = {
#include "io/formats.def"
  };
#undef GEOTHERM_FORMAT
  return all;
}

std::pair<std::string, std::string> split_key(const std::string& path) {
  if (is_file(path)) return {path, ""};
  const auto split_at = [&](std::size_t place) {
    return std::pair(path.substr(0, place - 1), path.substr(place));
  };
  const std::vector<std::size_t> places = key_places(lower(path));
  if (places.empty()) return {path, ""};
  // Names with several marks are split where the left part is a file.
  for (const std::size_t place : places) {
    if (is_file(path.substr(0, place - 1))) return split_at(place);
  }
  return split_at(places.front());
}

FileName file_name(const std::string& path) {
  FileName name;
  std::tie(name.path, name.key) = split_key(path);
  std::filesystem::path file(lower(name.path));
  name.is_packed = file.extension() == ".gz";
  if (name.is_packed) file.replace_extension();
  name.ending = file.extension().string();
  return name;
}

const Format* format_of(const FileName& name) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(name.path, ignored);
  for (const Format& format : formats()) {
    if (is_folder ? format.is_folder()
                  : std::ranges::find(format.endings, name.ending) != format.endings.end() &&
                        (!name.is_packed || format.may_be_packed)) {
      return &format;
    }
  }
  return nullptr;
}

const Format* sniffed_format(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(4096, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  if (start.empty()) return nullptr;
  for (const Format& format : formats()) {
    if (format.sniff != nullptr && format.sniff(start)) return &format;
  }
  return nullptr;
}

std::vector<std::string> readable_endings() {
  std::vector<std::string> all;
  for (const Format& format : formats()) {
    if (format.read != nullptr) all.insert(all.end(), format.endings.begin(), format.endings.end());
  }
  return all;
}

std::vector<std::string> writable_endings() {
  std::vector<std::string> all;
  for (const Format& format : formats()) {
    if (format.write != nullptr) {
      all.insert(all.end(), format.endings.begin(), format.endings.end());
    }
  }
  return all;
}

namespace {

/// ".csv, .tsv, .txt, .mtx (also .gz), .npy, ..." of formats that pass.
template <class Test>
std::string in_words(Test passes, bool shows_keys) {
  std::string packed, plain, folders;
  for (const Format& format : formats()) {
    if (!passes(format)) continue;
    if (format.is_folder()) folders += ", " + std::string(format.name);
    for (const std::string_view ending : format.endings) {
      std::string& list = format.may_be_packed ? packed : plain;
      list += (list.empty() ? "" : ", ") + std::string(ending);
    }
    if (shows_keys && format.has_keys) plain += " (file" + std::string(format.endings[0]) + ":key)";
  }
  return packed + " (also .gz), " + plain + folders;
}

}  // namespace

std::string readable_in_words() {
  return in_words([](const Format& format) { return format.read != nullptr; }, true);
}

namespace detail {

std::string packed_in_words() {
  std::vector<std::string_view> all;
  for (const Format& format : formats()) {
    if (format.may_be_packed) all.insert(all.end(), format.endings.begin(), format.endings.end());
  }
  std::string words;
  for (std::size_t i = 0; i < all.size(); ++i) {
    words += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + std::string(all[i]);
  }
  return words;
}

void refuse_ending(const FileName& file, const std::string& verb) {
  std::string why = "the ending '" + file.ending + "' is unknown";
  if (file.ending.empty()) why = "the name has no ending";
  if (file.ending == ".parquet" || file.ending == ".feather" || file.ending == ".arrow") {
    const std::string reader = file.ending == ".parquet" ? "read_parquet" : "read_feather";
    why = "the program does not read '" + file.ending +
          "'; the Python package does: geotherm.HeatGeo().fit('" + file.path +
          "'). Or convert it: pandas." + reader + "('" + file.path + "').to_csv('a.csv.gz')";
  }
  const bool reads = verb == "read";
  if (const Format* found = reads ? sniffed_format(file.path) : nullptr;
      found != nullptr && !found->endings.empty()) {
    why += "; it looks like " + std::string(found->name) + ": name it " +
           std::string(found->endings.front());
  }
  const auto can = [&](const Format& format) {
    return reads ? format.read != nullptr : format.write != nullptr;
  };
  throw IoError(file.path + ": cannot be " + verb + ": " + why + "; supported are " +
                in_words(can, false));
}

}  // namespace detail
}  // namespace geotherm
