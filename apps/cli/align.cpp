// geotherm align: several tables -> one map in which their rows are linked, a file and a page a
// table.
#include "geotherm/align.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "checkpoint_run.hpp"
#include "command.hpp"
#include "input.hpp"
#include "manifest.hpp"
#include "method_flags.hpp"
#include "output.hpp"
#include "output_check.hpp"
#include "page_run.hpp"

namespace geotherm::cli {
namespace {

namespace fs = std::filesystem;

struct AlignOptions {
  std::vector<std::string> inputs;
  std::string output;
  std::string links = "auto";
  double strength = AlignOptionsDefaults::strength;
  std::string color;
  MethodFlags method;
  InputOptions reading;
  CheckpointCliOptions checkpoint;
  RunOptions run;
};

struct Slice {
  std::string name;  ///< of its files
  LoadedInput loaded;
  Matrix<double> points;
};

std::string stem_of(const std::string& input, const std::vector<Slice>& before) {
  const auto [file, key] = split_key(input);
  std::string stem = fs::path(file).stem().string();
  if (!key.empty()) stem += "_" + key;
  for (const Slice& slice : before) {
    if (slice.name == stem) return fmt::format("{}_{}", stem, before.size() + 1);
  }
  return stem;
}

/// Pairs of rows with the same name.
std::vector<Link> links_by_name(const Slice& a, const Slice& b) {
  std::vector<Link> links;
  std::unordered_map<std::string, Index> row_of;
  const std::vector<std::string>& of_a = a.loaded.table.row_names;
  for (std::size_t i = 0; i < of_a.size(); ++i) row_of.emplace(of_a[i], static_cast<Index>(i));
  const std::vector<std::string>& of_b = b.loaded.table.row_names;
  for (std::size_t j = 0; j < of_b.size(); ++j) {
    const auto found = row_of.find(of_b[j]);
    if (found != row_of.end()) links.push_back({found->second, static_cast<Index>(j)});
  }
  return links;
}

std::vector<std::vector<Link>> all_links(const std::vector<Slice>& slices,
                                         const AlignOptions& options, RunContext& run_context) {
  std::vector<std::vector<Link>> all;
  for (std::size_t k = 0; k + 1 < slices.size(); ++k) {
    const Slice &a = slices[k], &b = slices[k + 1];
    std::vector<Link> links;
    std::string how = "the same ids";
    if (options.links != "neighbors") links = links_by_name(a, b);
    const std::size_t least = std::min(a.points.rows(), b.points.rows());
    const bool are_enough = !links.empty() && 10 * links.size() >= least;
    if (options.links == "ids" && links.empty()) {
      throw InvalidData(
          fmt::format("{} and {}: no row has the same id in both (use --links "
                      "neighbors, where they have the same columns)",
                      options.inputs[k], options.inputs[k + 1]));
    }
    if (options.links == "neighbors" || (options.links == "auto" && !are_enough)) {
      if (a.points.cols() != b.points.cols()) {
        throw InvalidData(fmt::format(
            "{} has {} columns and {} has {}: rows are linked by their nearest neighbours only "
            "where "
            "columns are the same (give rows the same ids, or --use an embedding that both share)",
            options.inputs[k], a.points.cols(), options.inputs[k + 1], b.points.cols()));
      }
      links = mutual_neighbors(a.points.view(), b.points.view(), options.method.settings.neighbors,
                               run_context.context());
      how = "mutual nearest neighbours";
    }
    if (links.empty()) {
      throw InvalidData(
          fmt::format("{} and {}: no links between them, so their maps cannot be "
                      "compared",
                      options.inputs[k], options.inputs[k + 1]));
    }
    run_context.say(fmt::format("{} - {}: {} links by {}", a.name, b.name, links.size(), how));
    all.push_back(std::move(links));
  }
  return all;
}

std::vector<Slice> read_slices(const AlignOptions& options, RunContext& run_context) {
  std::vector<Slice> slices;
  for (const std::string& input : options.inputs) {
    Slice slice;
    slice.name = stem_of(input, slices);
    {
      const SignalsEndAtOnce nothing_is_written_yet;
      slice.loaded = load_input(input, false, options.reading, run_context.context());
    }
    if (slice.loaded.holds != Holds::points) {
      throw InvalidArgument(fmt::format("{}: holds a graph; tables of points are aligned", input));
    }
    slice.points = slice.loaded.table.to_double();
    run_context.say(slice.loaded.in_words());
    slices.push_back(std::move(slice));
  }
  return slices;
}

/// Files are made in a folder beside the one that was asked for, which gets them when all are
/// whole.
class StagedFolder {
 public:
  explicit StagedFolder(const std::string& target) : target_(fs::absolute(target)) {
    std::error_code failed;
    if (!target_.has_filename()) target_ = target_.parent_path();  // "folder/"
    const fs::path parent = target_.parent_path();
    fs::create_directories(parent, failed);
    for (std::size_t n = 0; !failed; ++n) {
      path_ = parent / fmt::format(".geotherm-{}-{}", target_.filename().string(), n);
      if (fs::create_directory(path_, failed)) return;
    }
    throw IoError(fmt::format("{}: the folder cannot be made", target));
  }
  ~StagedFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

  /// Files of the same names that were there are replaced, others stay.
  void finish() {
    std::error_code failed;
    if (!fs::exists(target_, failed)) {
      fs::rename(path_, target_, failed);
    } else {
      for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
        if (!failed) fs::rename(entry.path(), target_ / entry.path().filename(), failed);
      }
    }
    if (failed) {
      throw IoError(fmt::format("{}: cannot be written ({})", target_.string(), failed.message()));
    }
  }

 private:
  fs::path target_;
  fs::path path_;
};

/// All that decides the maps, for --checkpoint.
std::map<std::string, std::string> layout_in_words(const AlignOptions& options,
                                                   const std::vector<Slice>& slices,
                                                   const std::vector<std::vector<Link>>& links) {
  std::map<std::string, std::string> words;
  if (options.checkpoint.folder.empty()) return words;
  words = options_in_words(options.method, options.run);
  words["strength"] = fmt::format("{}", options.strength);
  for (std::size_t k = 0; k < slices.size(); ++k) {
    words[fmt::format("input_{}", k + 1)] = fingerprint(slices[k].points);
  }
  for (std::size_t k = 0; k < links.size(); ++k) {
    Matrix<double> ends(links[k].size(), 2);
    for (std::size_t i = 0; i < links[k].size(); ++i) {
      ends(i, 0) = links[k][i].from;
      ends(i, 1) = links[k][i].to;
    }
    words[fmt::format("links_{}", k + 1)] = fingerprint(ends);
  }
  return words;
}

void write_slice_page(const AlignOptions& options, const StagedFolder& folder,
                      const std::vector<Slice>& slices, std::size_t k, const Matrix<double>& map,
                      RunContext& run_context) {
  PageCliOptions page;
  page.title = slices[k].name;
  for (const Slice& other : slices) {
    page.links.push_back(fmt::format("{}={}.html", other.name, other.name));
  }
  page.links.emplace_back("all=all.html");
  PageSource source{.maps = {{slices[k].name, map}},
                    .columns = {},
                    .data_path = options.inputs[k],
                    .names = slices[k].loaded.table.row_names,
                    .shown_path = (fs::path(options.output) / (slices[k].name + ".html")).string()};
  const Colors& colors = slices[k].loaded.colors;
  if (!colors.name.empty()) {
    source.columns.push_back(
        PageColumn{.name = colors.name, .numbers = colors.values, .texts = colors.categories});
  }
  write_page(folder.file(slices[k].name + ".html"), source, page, run_context);
}

/// All slices in one map, distinguished by a column.
void write_whole_page(const AlignOptions& options, const StagedFolder& folder,
                      const std::vector<Slice>& slices, const Matrix<double>& map,
                      RunContext& run_context) {
  PageCliOptions page;
  page.title = "all";
  std::vector<std::string> slice_of;
  for (const Slice& slice : slices) {
    page.links.push_back(fmt::format("{}={}.html", slice.name, slice.name));
    slice_of.insert(slice_of.end(), slice.points.rows(), slice.name);
  }
  page.color = "slice";
  PageSource source{.maps = {{"aligned", map}},
                    .columns = {},
                    .data_path = options.inputs.front(),
                    .shown_path = (fs::path(options.output) / "all.html").string()};
  source.columns.push_back(PageColumn{.name = "slice", .texts = Texts(slice_of)});
  write_page(folder.file("all.html"), source, page, run_context);
}

int align(AlignOptions& options) {
  const std::vector<std::string> idle = resolve(options.method);
  if (options.inputs.size() < 2) {
    throw InvalidArgument("one table is given: align takes two or more");
  }
  require_outputs({{"-o", options.output, OutputFile::Kind::folder},
                   {"--checkpoint", options.checkpoint.folder, OutputFile::Kind::folder}});
  RunContext run_context(options.run);
  for (const std::string& warning : idle) run_context.warn(warning);
  const std::vector<Slice> slices = read_slices(options, run_context);
  const std::vector<std::vector<Link>> links = all_links(slices, options, run_context);
  std::vector<MatrixView<const double>> points;
  for (const Slice& slice : slices) points.push_back(slice.points.view());
  const auto kept =
      open_checkpoint(options.checkpoint, layout_in_words(options, slices, links), run_context);
  Context keeping = run_context.context();
  keeping.checkpoint = kept.get();
  const Alignment aligned = align_maps(options.method.row(), points, links, options.strength,
                                       options.method.settings, keeping);
  run_context.begin_to_write();
  StagedFolder folder(options.output);
  const std::string key = name_in_h5ad(options.method.method) + "_aligned";
  for (std::size_t k = 0; k < slices.size(); ++k) {
    const Matrix<double>& map = aligned.maps[k];
    const std::string& input = options.inputs[k];
    if (is_h5ad(input) && !slices[k].loaded.cells) {
      save_into_copy(input, folder.file(slices[k].name + ".h5ad"), map, {}, "X_" + key, {},
                     map.rows());
    }
    write_table(folder.file(slices[k].name + ".csv"), map, slices[k].loaded.table.row_names,
                axis_names(map.cols()), "embedding");
    if (has_page()) write_slice_page(options, folder, slices, k, map, run_context);
  }
  if (has_page()) write_whole_page(options, folder, slices, aligned.whole, run_context);
  nlohmann::json manifest = {{"version", version()},
                             {"command", "align"},
                             {"inputs", options.inputs},
                             {"options", to_json(options.method, MethodUse::aligned_map)},
                             {"strength", options.strength},
                             {"outcome", to_string(aligned.outcome)},
                             {"link_length", aligned.link_length}};
  write_json(folder.file("manifest.json"), manifest);
  folder.finish();
  run_context.say(
      fmt::format("{} tables -> {}; linked rows are {:.3g} % of the map's extent apart (median)",
                  slices.size(), options.output, 100 * aligned.link_length));
  return close_run(kept.get(), options.checkpoint.folder, aligned.outcome, run_context);
}

}  // namespace

void add_align(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<AlignOptions>();
  CLI::App* command = app.add_subcommand(
      "align", "Embed several related tables (times, donors) in comparable maps");
  command
      ->add_option("INPUTS", options->inputs,
                   "Two or more tables in order: time points, donors, settings")
      ->type_name("")
      ->required();
  command
      ->add_option("-o,--output", options->output,
                   "A folder: NAME.csv (and .h5ad where the input is one) and NAME.html for\n"
                   "each table, all.html, manifest.json")
      ->type_name("FOLDER")
      ->required();
  command
      ->add_option("--links", options->links,
                   "How rows of consecutive tables are linked: ids; neighbors\n"
                   "(mutual nearest ones); auto: ids where a tenth of the rows share them")
      ->check(CLI::IsMember({"auto", "ids", "neighbors"}).description(""))
      ->type_name("WHAT")
      ->capture_default_str();
  command
      ->add_option("--strength", options->strength,
                   "Weight of a row's links, relative to all its neighbours together")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("X")
      ->capture_default_str();
  add_method_options(*command, options->method, MethodUse::aligned_map);
  add_input_options(*command, options->reading);
  add_checkpoint_options(*command, options->checkpoint);
  add_run_options(*command, options->run);
  command->footer(
      "Example:\n"
      "  geotherm align old.csv new.csv -o days\n");
  command->callback([options, &chosen] { chosen = [options] { return align(*options); }; });
}

}  // namespace geotherm::cli
