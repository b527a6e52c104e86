#include "compare_runs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unordered_map>

#include "column.hpp"
#include "geotherm/observations.hpp"
#include "geotherm/points.hpp"
#include "manifest.hpp"
#include "output.hpp"

namespace geotherm::cli {
namespace {

namespace fs = std::filesystem;

/// One of the two runs.
struct Run {
  std::string name;         ///< as the user gave it
  std::string file;         ///< of the map
  nlohmann::json manifest;  ///< null where only the map is known
  Matrix<double> map;
  std::vector<std::string> row_names;
};

/// The map that a manifest tells of: where it was written, or beside the manifest.
std::string map_of(const std::string& manifest_file, const nlohmann::json& manifest) {
  const auto& asked = manifest["options"];
  const std::string output =
      asked.contains("output") && asked["output"].is_string() ? asked["output"] : "";
  if (output.empty()) {
    throw IoError(manifest_file + ": does not say where the map is: name the map itself");
  }
  const fs::path folder = fs::path(manifest_file).parent_path();
  const fs::path candidates[] = {output, folder / output, folder / fs::path(output).filename()};
  std::error_code ignored;
  for (const fs::path& path : candidates) {
    if (!fs::exists(path, ignored)) continue;
    const std::string method = asked["method"];
    return path.extension() == ".h5ad" ? path.string() + ":X_" + name_in_h5ad(method)
                                       : path.string();
  }
  throw IoError(fmt::format("{}: its map '{}' is not there any more: name the map itself",
                            manifest_file, output));
}

/// file.h5ad:X_heatgeo is obsm['X_heatgeo'].
Table read_map(const std::string& file) {
  const std::size_t h5ad = file.rfind(".h5ad:");
  if (h5ad != std::string::npos) {
    return read_observations(file.substr(0, h5ad + 5), {.use = "obsm:" + file.substr(h5ad + 6)})
        .table;
  }
  if (file.ends_with(".h5ad")) {
    throw InvalidArgument(
        fmt::format("{}: say which map of the file is meant, as {}:X_heatgeo", file, file));
  }
  return read_table(with_usual_key(file, {"embedding"}));
}

Run read_run(const std::string& name) {
  Run run;
  run.name = run.file = name;
  if (name.ends_with(".json")) {
    run.manifest = read_manifest(name);
    run.file = map_of(name, run.manifest);
  }
  Table table = read_map(run.file);
  run.map = table.to_double();
  run.row_names = std::move(table.row_names);
  try {
    require_finite(run.map.view());
  } catch (const InvalidData& e) {
    throw InvalidData(run.file + ": " + e.what());
  }
  return run;
}

/// Puts the rows of `second` in the order of `first` where both have names; true where that moved
/// any. Refuses maps of different points.
bool match_rows(const Run& first, Run& second) {
  const bool have_names = !first.row_names.empty() && !second.row_names.empty();
  if (!have_names) {
    if (first.map.rows() == second.map.rows()) return false;
    throw InvalidData(fmt::format("{} has {} rows but {} has {}: both must be of the same points",
                                  first.file, first.map.rows(), second.file, second.map.rows()));
  }
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < second.row_names.size(); ++i) place[second.row_names[i]] = i;
  std::vector<std::size_t> order;
  std::string missing;
  for (const std::string& name : first.row_names) {
    const auto found = place.find(name);
    if (found != place.end()) {
      order.push_back(found->second);
    } else if (missing.empty()) {
      missing = name;
    }
  }
  const std::size_t n = first.map.rows();
  if (order.size() != n || second.map.rows() != n) {
    throw InvalidData(fmt::format(
        "{} has {} rows and {} has {}; {} names are in both{}: both must be of the same points",
        first.file, n, second.file, second.map.rows(), order.size(),
        missing.empty() ? "" : fmt::format(" ('{}' is only in the first)", missing)));
  }
  // Names that come twice cannot be matched: then rows are taken as they stand.
  std::vector<bool> is_taken(n, false);
  for (const std::size_t at : order) is_taken[at] = true;
  if (std::find(is_taken.begin(), is_taken.end(), false) != is_taken.end()) return false;
  if (std::is_sorted(order.begin(), order.end())) return false;
  Matrix<double> sorted(n, second.map.cols());
  for (std::size_t i = 0; i < n; ++i) {
    std::copy(second.map.row(order[i]).begin(), second.map.row(order[i]).end(),
              sorted.row(i).begin());
  }
  second.map = std::move(sorted);
  return true;
}

std::string word_of(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// What was asked for differently, by name: {"knn": ["10", "15"]}. Where the map went does not
/// count.
nlohmann::json differing_options(const Run& first, const Run& second) {
  nlohmann::json all = nlohmann::json::object();
  const auto note = [&](const std::string& name, const nlohmann::json& a, const nlohmann::json& b) {
    if (a != b) all[name] = {word_of(a), word_of(b)};
  };
  const auto value = [](const nlohmann::json& from, const std::string& name) {
    return from.contains(name) ? from[name] : nlohmann::json("not given");
  };
  const nlohmann::json& a = first.manifest["options"];
  const nlohmann::json& b = second.manifest["options"];
  nlohmann::json names = a;
  names.update(b);
  for (const auto& [name, ignored] : names.items()) {
    if (name == "output") continue;
    if (value(a, name).is_object() && value(b, name).is_object()) {
      nlohmann::json inner = value(a, name);
      inner.update(value(b, name));
      for (const auto& [part, also_ignored] : inner.items()) {
        note(name + "." + part, value(a[name], part), value(b[name], part));
      }
    } else {
      note(name, value(a, name), value(b, name));
    }
  }
  for (const char* name : {"seed", "version"}) {
    note(name, value(first.manifest, name), value(second.manifest, name));
  }
  return all;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

nlohmann::json as_json(const MapComparison& found, const nlohmann::json& options) {
  nlohmann::json json = {{"n_points", found.aligned.rows()},
                         {"disparity", found.disparity},
                         {"scale", found.scale},
                         {"rms", found.rms},
                         {"extent", found.extent},
                         {"distance_correlation", found.distance_correlation},
                         {"distance_rank_correlation", found.distance_rank_correlation},
                         {"kept_neighbors", mean_of(found.kept_neighbors)},
                         {"differing_options", options}};
  nlohmann::json groups = nlohmann::json::array();
  for (const GroupComparison& group : found.groups) {
    nlohmann::json of = {{"name", group.name},
                         {"n_points", group.n_points},
                         {"rms", group.rms},
                         {"kept_neighbors", group.kept_neighbors},
                         {"relative_distance", nullptr}};
    if (std::isfinite(group.relative_distance)) of["relative_distance"] = group.relative_distance;
    groups.push_back(std::move(of));
  }
  if (!groups.empty()) json["groups"] = std::move(groups);
  return json;
}

std::string as_text(const MapComparison& found, const nlohmann::json& options, const Run& first,
                    const Run& second, std::size_t knn) {
  std::string text = fmt::format("{} and {} ({} points), the second laid over the first\n",
                                 first.name, second.name, found.aligned.rows());
  const auto line = [&](const char* key, const std::string& value, const std::string& meaning) {
    text += fmt::format("  {:<26}{:<10} {}\n", key, value, meaning);
  };
  const double share = found.extent > 0 ? 100 * found.rms / found.extent : 0;
  line("rms", fmt::format("{:.4g}", found.rms),
       fmt::format("root mean square displacement: {:.1f} % of the first map's extent", share));
  line("disparity", fmt::format("{:.4f}", found.disparity),
       "what alignment leaves of the squares; 0 is the same shape");
  line("scale", fmt::format("{:.4g}", found.scale), "factor on the second map");
  line("distance_correlation", fmt::format("{:.4f}", found.distance_correlation),
       "Pearson, distances over pairs");
  line("distance_rank_correlation", fmt::format("{:.4f}", found.distance_rank_correlation),
       "Spearman, the same");
  line("kept_neighbors", fmt::format("{:.4f}", mean_of(found.kept_neighbors)),
       fmt::format("share of the {} nearest that are the same", knn));
  if (!found.groups.empty()) {
    std::size_t width = 5;
    for (const GroupComparison& group : found.groups) width = std::max(width, group.name.size());
    text += fmt::format("\n  {:<{}}  {:>7}  {:>9}  {:>14}  {:>17}\n", "group", width, "points",
                        "rms", "kept_neighbors", "relative_distance");
    for (const GroupComparison& group : found.groups) {
      text += fmt::format("  {:<{}}  {:>7}  {:>9.4g}  {:>14.4f}  {:>17.3f}\n", group.name, width,
                          group.n_points, group.rms, group.kept_neighbors, group.relative_distance);
    }
  }
  if (options.is_null()) {
    text += "\n  options: not known (name the manifests, run.json, to have them compared)\n";
  } else if (options.empty()) {
    text += "\n  options: the same\n";
  } else {
    text += "\n  options that differ\n";
    for (const auto& [name, values] : options.items()) {
      text += fmt::format("    {}: {} -> {}\n", name, values[0].get<std::string>(),
                          values[1].get<std::string>());
    }
  }
  return text;
}

}  // namespace

std::string compared_runs(const CompareRuns& options, const Context& context) {
  const Run first = read_run(options.runs[0]);
  Run second = read_run(options.runs[1]);
  if (match_rows(first, second)) {
    context.info("the rows come in different orders: they are matched by name");
  }
  std::vector<std::string> groups;
  if (!options.labels.empty()) {
    groups = read_group_names(options.labels, {first.file, first.map.rows()});
  }
  const MapComparison found =
      compare_maps(first.map, second.map, groups, {.knn = options.knn}, context);
  nlohmann::json differing;
  if (!first.manifest.is_null() && !second.manifest.is_null()) {
    differing = differing_options(first, second);
  }
  return options.json ? as_json(found, differing).dump() + "\n"
                      : as_text(found, differing, first, second, options.knn);
}

}  // namespace geotherm::cli
