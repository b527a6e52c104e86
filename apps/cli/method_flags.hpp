// The options of methods on the command line: one flag for each row of the library's table.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "geotherm/options.hpp"

namespace geotherm::cli {

struct MethodFlags {
  std::string method = std::string(methods().front().name);  ///< its name, never an alias
  std::map<std::string, std::string> words = {};  ///< flags as they were typed, by option
  GivenOptions given = {};                        ///< the same, parsed
  MethodOptions settings = {};                    ///< of `method`

  const Method& row() const { return *method_named(method); }
  bool is_precomputed() const;
};

/// What a command uses a method for, and so which methods and options it offers.
enum class MethodUse {
  map,         ///< all of them
  distances,   ///< methods with distances of their own; no options of the layout
  aligned_map  ///< methods that can map a graph of weights
};
void add_method_options(CLI::App& command, MethodFlags& options, MethodUse);

/// A check that takes names and aliases of methods and leaves the name.
CLI::Validator known_method(MethodUse = MethodUse::map);

/// Parses what was typed and fills the settings; throws InvalidArgument for a value that does not
/// fit, and for an option that neither the method nor one of `compared` reads. Returns warnings
/// about options that do nothing because of another's value.
std::vector<std::string> resolve(MethodFlags& options,
                                 const std::vector<std::string>& compared = {});

/// The options that the method reads, as they were given, for the manifest.
nlohmann::json to_json(const MethodFlags& options, MethodUse);

}  // namespace geotherm::cli
