// geotherm methods: the manifest of a run -> a paragraph for the Methods section, with references.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "command.hpp"
#include "geotherm/core.hpp"
#include "geotherm/io.hpp"
#include "geotherm/methods_text.hpp"
#include "manifest.hpp"

namespace geotherm::cli {
namespace {

struct MethodsOptions {
  std::string manifest;
  std::string output;
};

/// Numbers, texts and truth values of an object; what is nested is left out.
std::map<std::string, Value> values_of(const nlohmann::json& manifest, const char* name) {
  std::map<std::string, Value> values;
  const auto found = manifest.find(name);
  if (found == manifest.end() || !found->is_object()) return values;
  for (const auto& [key, value] : found->items()) {
    if (value.is_string()) values[key] = value.get<std::string>();
    if (value.is_boolean()) values[key] = value.get<bool>();
    if (value.is_number()) values[key] = value.get<double>();
  }
  return values;
}

/// References below the paragraph, numbered as they are cited.
std::string words_for(const nlohmann::json& manifest) {
  RunDescription run{.command = manifest.value("command", "embed"),
                     .version = manifest.value("version", ""),
                     .n_points = manifest["resolved"].value("n_points", std::size_t{0}),
                     .seed = manifest.value("seed", std::uint64_t{0}),
                     .options = values_of(manifest, "options"),
                     .resolved = values_of(manifest, "resolved"),
                     .stability = values_of(manifest, "stability")};
  if (const auto method = run.options.find("method"); method != run.options.end()) {
    run.method = std::get<std::string>(method->second);
  }
  const nlohmann::json& options = manifest["options"];
  if (options.is_object()) run.reading = values_of(options, "reading");
  const MethodsText text = methods_text(run);
  std::string all = text.paragraph + "\n\nReferences\n";
  for (std::size_t i = 0; i < text.references.size(); ++i) {
    all += fmt::format("[{}] {}\n", i + 1, text.references[i]);
  }
  return all;
}

int write_methods(const MethodsOptions& options) {
  const nlohmann::json manifest = read_manifest(options.manifest);
  const std::string text = words_for(manifest);
  if (options.output.empty()) {
    fmt::print("{}", text);
  } else {
    write_file_atomically(options.output, text);
  }
  return success;
}

}  // namespace

void add_methods(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<MethodsOptions>();
  CLI::App* command =
      app.add_subcommand("methods", "Write the Methods paragraph of a run, with references");
  command->add_option("MANIFEST", options->manifest, "What --manifest wrote")
      ->type_name("")
      ->required();
  command->add_option("-o,--output", options->output, "A text file; empty: print it")
      ->type_name("FILE");
  command->footer(
      "Example:\n"
      "  geotherm embed cells.csv -o map.csv --manifest run.json && geotherm methods run.json\n");
  command->callback([options, &chosen] { chosen = [options] { return write_methods(*options); }; });
}

}  // namespace geotherm::cli
