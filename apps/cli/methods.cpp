// geotherm methods: the manifest of a run -> a paragraph for the Methods section, with references.
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "command.hpp"
#include "geotherm/core.hpp"
#include "geotherm/io.hpp"
#include "manifest.hpp"

namespace geotherm::cli {
namespace {

struct MethodsOptions {
  std::string manifest;
  std::string output;
};

const char* const de_leeuw =
    "de Leeuw, J.: Applications of convex analysis to multidimensional scaling. In: Recent "
    "Developments in Statistics, 133-145 (1977).";
const char* const zheng =
    "Zheng, J. X., Pawar, S., Goodman, D. F. M.: Graph drawing by stochastic gradient descent. "
    "IEEE "
    "TVCG 25, 2738-2748 (2019).";
const char* const torgerson =
    "Torgerson, W. S.: Multidimensional scaling: I. Theory and method. Psychometrika 17, 401-419 "
    "(1952).";

/// A number as people write it; a text as it stands; nothing for anything else.
std::string shown(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return "";
  if (found->is_string()) return found->get<std::string>();
  if (found->is_number()) return fmt::format("{:.4g}", found->get<double>());
  return "";
}

class Paragraph {
 public:
  explicit Paragraph(const nlohmann::json& manifest)
      : options_(manifest["options"]), resolved_(manifest["resolved"]), manifest_(manifest) {}

  std::string text() {
    say_map();
    say_graph();
    say_heat();
    say_layout();
    say_stability();
    const std::string seed = shown(manifest_, "seed");
    text_ += fmt::format(" Random numbers were drawn from seed {}.", seed.empty() ? "0" : seed);
    std::string all = text_ + "\n\nReferences\n";
    for (std::size_t i = 0; i < cited_.size(); ++i)
      all += fmt::format("[{}] {}\n", i + 1, cited_[i]);
    return all;
  }

 private:
  /// " [3]" for a reference, numbered where it is first met.
  std::string cite(std::string_view reference) {
    const auto found = std::find(cited_.begin(), cited_.end(), reference);
    const auto at = static_cast<std::size_t>(found - cited_.begin());
    if (found == cited_.end()) cited_.emplace_back(reference);
    return fmt::format(" [{}]", at + 1);
  }

  void say_map() {
    const std::string method = shown(options_, "method");
    const Method* known = method_named(method);
    std::string name = method;
    std::string references;
    if (known != nullptr) {
      name = known->title;
      for (const std::string_view reference : known->citations) references += cite(reference);
    }
    const bool is_map = shown(manifest_, "command") != "distances";
    const std::string dims = shown(options_, "n_components");
    text_ += fmt::format("{} computed by {}{} in geotherm {}.",
                         is_map ? fmt::format("A {}-dimensional map was", dims.empty() ? "2" : dims)
                                : std::string("Distances between points were"),
                         name, references, shown(manifest_, "version"));
    const std::string rank = shown(resolved_, "pca_rank");
    if (!rank.empty()) {
      text_ += fmt::format(" The table was first reduced to {} principal components.", rank);
    }
  }

  void say_graph() {
    const std::string knn = shown(resolved_, "knn");
    if (knn.empty()) return;
    text_ += fmt::format(" Neighbours: {} per point, {} distance", knn, shown(options_, "metric"));
    const std::string graph = shown(resolved_, "graph");
    text_ += graph.empty() ? "." : fmt::format("; edge weights: {}.", graph);
    const std::string components = shown(resolved_, "components");
    if (!components.empty() && components != "1") {
      text_ += fmt::format(" The graph had {} components ({}).", components,
                           shown(options_, "components"));
    }
    if (const std::string cut = shown(options_, "shortcuts"); !cut.empty() && cut != "off") {
      text_ += " Short-circuit edges were looked for and removed.";
    }
  }

  void say_heat() {
    const std::string kernel = shown(resolved_, "kernel");
    const std::string time = shown(resolved_, "time");
    if (time.empty()) return;
    if (kernel.empty() || kernel == "walk-power") {
      text_ += fmt::format(" The walk took t = {} steps", time);
    } else {
      text_ += fmt::format(" Heat diffused for t = {} ({} Laplacian, {} kernel)", time,
                           shown(resolved_, "laplacian"), kernel);
    }
    text_ += shown(options_, "time") == "auto" ? ", chosen from the entropy curve." : ".";
    const std::string denoise = shown(options_, "denoise");
    if (!denoise.empty() && denoise != "0") {
      text_ += fmt::format(" Distances were denoised with rho = {}.", denoise);
    }
  }

  void say_layout() {
    const std::string mds = shown(resolved_, "mds");
    if (mds.empty()) return;
    const char* reference = mds == "smacof" ? de_leeuw : mds == "sgd" ? zheng : torgerson;
    text_ += fmt::format(" Distances were laid out by metric scaling ({}{})",
                         mds == "sgd" ? "stochastic gradient" : mds, cite(reference));
    const std::string weights = shown(options_, "mds_weights");
    if (!weights.empty() && weights != "none") text_ += fmt::format(", weighted: {}", weights);
    const std::string stress = shown(resolved_, "stress");
    text_ += stress.empty() ? "." : fmt::format(", final stress {}.", stress);
  }

  void say_stability() {
    const auto found = manifest_.find("stability");
    if (found == manifest_.end()) return;
    text_ += fmt::format(
        " Over {} subsamples of {} of the rows, aligned by Procrustes, places moved by {} (median; "
        "extent of the map {}).",
        shown(*found, "n_samples"), shown(*found, "share"), shown(*found, "median_spread"),
        shown(*found, "extent"));
  }

  const nlohmann::json& options_;
  const nlohmann::json& resolved_;
  const nlohmann::json& manifest_;
  std::string text_;
  std::vector<std::string> cited_;
};

int methods_text(const MethodsOptions& options) {
  const nlohmann::json manifest = read_manifest(options.manifest);
  const std::string text = Paragraph(manifest).text();
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
  CLI::App* command = app.add_subcommand(
      "methods", "Say in words what a run did, with references, for the Methods section");
  command->add_option("MANIFEST", options->manifest, "What --manifest wrote")
      ->type_name("")
      ->required();
  command->add_option("-o,--output", options->output, "A text file; empty: print it")
      ->type_name("FILE");
  command->footer(
      "Example:\n"
      "  geotherm embed cells.csv -o map.csv --manifest run.json && geotherm methods run.json\n");
  command->callback([options, &chosen] { chosen = [options] { return methods_text(*options); }; });
}

}  // namespace geotherm::cli
