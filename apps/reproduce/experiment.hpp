// What an experiment of `geotherm reproduce` is: jobs that measure, and a section that shows what
// they measured. The engine (engine.hpp) runs and keeps the jobs, report.hpp writes the sections.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::cli {

struct ReproduceSettings {
  /// The same rows from fewer seeds and a smaller grid.
  bool quick = false;
  /// Folder of the real data sets: --data, else GEOTHERM_DATA; empty where neither is given.
  std::filesystem::path data = {};
  /// Hyper-parameters are chosen on the first and reported on the second: 42-46 and 47-51, in a
  /// quick run the first few of each.
  std::vector<std::uint64_t> validation_seeds = {};
  std::vector<std::uint64_t> report_seeds = {};
  /// Made data sets have this many times fewer points: for tests of the program alone.
  std::size_t shrink = 1;
};

/// The k-th seed to choose on with the k-th to report on, for all k: jobs in this order leave every
/// row from some seeds when they are stopped.
std::vector<std::vector<std::uint64_t>> seed_pairs(const ReproduceSettings&);

/// What a measurement is for. Where options are chosen, only what leaves a choice is measured.
enum class Purpose { choice, report };

/// One unit of cached work. What `run` returns depends on `key` alone (on the data file that it
/// names, too), to the bit: seeds and options belong into the key, threads do not.
struct Job {
  /// Everything that decides the result. A "label" in it is what progress shows.
  nlohmann::json key = {};
  /// Rough seconds on 2 cores, for the time left and for fair shares.
  double cost = 1;
  std::function<nlohmann::json(const Context&)> run = {};
};

/// What jobs returned, by their keys.
class Results {
 public:
  /// Null: not run (yet), or failed.
  const nlohmann::json* of(const nlohmann::json& key) const;
  /// Why `of` is null, in words for a table cell: "not run" or "failed: ...".
  std::string reason(const nlohmann::json& key) const;
  bool has_failed(const nlohmann::json& key) const;

  void keep(const nlohmann::json& key, nlohmann::json result);
  void keep_failure(const nlohmann::json& key, std::string message);
  bool empty() const { return values_.empty(); }

 private:
  std::map<std::string, nlohmann::json> values_ = {};
  std::map<std::string, std::string> failures_ = {};
};

// Text in sections is plain, but for `code` and **bold**; the report escapes the rest. A table cell
// with the mark of `ahead_mark` is tinted.
inline constexpr std::string_view ahead_mark = "▲";

struct Table {
  std::string caption = {};
  std::vector<std::string> columns = {};
  std::vector<std::vector<std::string>> rows = {};
};
struct Figure {
  std::string name = {};  ///< of the file, without ".svg"; one of its kind among all experiments
  std::string caption = {};
  std::string svg = {};  ///< a whole <svg> element
};
struct Section {
  std::string title = {};
  std::vector<std::string> paragraphs = {};
  std::vector<Table> tables = {};
  std::vector<Figure> figures = {};
};

struct Experiment {
  std::string_view name;
  std::string_view summary;  ///< one line
  /// All jobs, whatever was run before. Rows whose data is absent have none: `present` says so.
  std::vector<Job> (*jobs)(const ReproduceSettings&);
  /// From what there is: a row without its result says why.
  Section (*present)(const ReproduceSettings&, const Results&);
};
/// In the order of the paper; the list is in experiments.cpp.
std::span<const Experiment> experiments();

/// The file of that name under `data` (or in its folder "data"), or empty where it is not there.
std::filesystem::path data_file(const ReproduceSettings&, const std::string& name);
/// For a row without its file: "no data: NAME is not in FOLDER", or that no folder was given.
std::string data_is_missing(const ReproduceSettings&, const std::string& name);

}  // namespace geotherm::cli
