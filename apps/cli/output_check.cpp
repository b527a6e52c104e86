#include "output_check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "core/platform.hpp"
#include "geotherm/core.hpp"
#include "geotherm/formats.hpp"
#include "geotherm/spelling.hpp"

namespace geotherm::cli {
namespace {

namespace fs = std::filesystem;
using Kind = OutputFile::Kind;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::vector<std::string> endings_of(Kind kind) {
  switch (kind) {
    case Kind::table:
      return writable_endings();
    case Kind::picture:
      return {".svg", ".png"};
    case Kind::page:
      return {".html"};
    case Kind::model:
      return {".gtm"};
    case Kind::manifest:
      return {".json"};
    default:
      return {};
  }
}

const char* what_is_written(Kind kind) {
  switch (kind) {
    case Kind::picture:
      return "a picture";
    case Kind::page:
      return "the page";
    case Kind::model:
      return "a model";
    case Kind::manifest:
      return "the manifest";
    default:
      return "a table";
  }
}

/// Models and manifests may have any ending but those that promise another format.
bool may_have_any_ending(Kind kind, const std::string& ending) {
  if (kind != Kind::model && kind != Kind::manifest) return false;
  std::vector<std::string> others = writable_endings();
  others.insert(others.end(), {".svg", ".png", ".html", ".gtm", ".json"});
  return std::find(others.begin(), others.end(), ending) == others.end();
}

/// What is wrong with the name's ending; empty: nothing.
std::string issue_with_ending(const OutputFile& output, const std::string& file) {
  const std::vector<std::string> known = endings_of(output.kind);
  if (known.empty()) return {};
  const FileName name = file_name(file);
  const bool is_known = std::find(known.begin(), known.end(), name.ending) != known.end();
  const Format* format = output.kind == Kind::table && is_known ? format_of(name) : nullptr;
  if (format != nullptr && format->is_available != nullptr && !format->is_available()) {
    return fmt::format("this build writes no {} (it has no HDF5)", name.ending);
  }
  if (is_known && (!name.is_packed || format != nullptr)) return {};
  if (may_have_any_ending(output.kind, name.ending)) return {};
  std::string list;
  for (std::size_t i = 0; i < known.size(); ++i) {
    list += (i == 0 ? "" : i + 1 == known.size() ? " or " : ", ") + known[i];
  }
  return fmt::format("{} is written as {}{}", what_is_written(output.kind), list,
                     did_you_mean(name.ending, known));
}

std::string no_rights(const fs::path& folder) {
  return fmt::format("the folder {} may not be written to (choose another)", folder.string());
}

/// What is wrong with the place; empty: nothing.
std::string issue_with_place(const OutputFile& output, const std::string& file) {
  std::error_code ignored;
  const fs::path path = fs::path(file).lexically_normal();
  const bool is_folder = output.kind == Kind::folder;
  if (output.kind == Kind::counts && !lower(file).ends_with(".h5") && fs::exists(path, ignored)) {
    return "it is there already (give a new folder)";
  }
  if (fs::is_directory(path, ignored)) {
    if (!is_folder && output.kind != Kind::counts) return "it is a folder: give a file's name";
    return detail::platform::may_write(path.string()) ? "" : no_rights(path);
  }
  if (is_folder && fs::exists(path, ignored)) return "it is a file: give a folder's name";
  fs::path parent = path.has_filename() ? path.parent_path() : path.parent_path().parent_path();
  if (parent.empty()) parent = ".";
  // Folders of checkpoints are made with all that lead to them.
  while (is_folder && !fs::exists(parent, ignored)) {
    parent = parent.has_parent_path() ? parent.parent_path() : fs::path(".");
  }
  if (!fs::exists(parent, ignored)) {
    return fmt::format("there is no folder {} (mkdir -p {})", parent.string(), parent.string());
  }
  if (!fs::is_directory(parent, ignored)) {
    return fmt::format("{} is a file, not a folder", parent.string());
  }
  return detail::platform::may_write(parent.string()) ? "" : no_rights(parent);
}

}  // namespace

void require_outputs(const std::vector<OutputFile>& outputs) {
  std::vector<std::string> issues, places;  // a misuse; the state of the disk
  std::vector<std::pair<fs::path, const char*>> seen;
  for (const OutputFile& output : outputs) {
    if (output.path.empty() || output.path.starts_with("/dev/")) continue;
    const std::string file = split_key(output.path).first;
    std::string issue;
    const fs::path whole = fs::absolute(file).lexically_normal();
    for (const auto& [other, option] : seen) {
      if (issue.empty() && other == whole) issue = fmt::format("{} names the same file", option);
    }
    if (issue.empty()) issue = issue_with_ending(output, file);
    const std::string place = issue.empty() ? issue_with_place(output, file) : "";
    if (!place.empty()) {
      places.push_back(fmt::format("{} is '{}': {}", output.option, output.path, place));
    }
    seen.emplace_back(whole, output.option);
    if (!issue.empty()) {
      issues.push_back(fmt::format("{} is '{}': {}", output.option, output.path, issue));
    }
  }
  refuse_if_any(issues);
  if (places.empty()) return;
  std::string all;
  for (const std::string& place : places) all += (all.empty() ? "" : "\n") + place;
  throw IoError(all);
}

}  // namespace geotherm::cli
