// geotherm demo: a data set, its map, a picture and the page, in one folder, to look around in.
#include <fmt/core.h>

#include <filesystem>

#include "command.hpp"
#include "geotherm/core.hpp"
#include "geotherm/page.hpp"

namespace geotherm::cli {
namespace {

struct DemoOptions {
  std::string folder = "geotherm-demo";
};

/// One command line of the program, as a user would type it.
int run_words(std::vector<std::string> words) {
  std::string line = "geotherm";
  for (const std::string& word : words) line += " " + word;
  fmt::print("$ {}\n", line);
  std::fflush(stdout);
  words.emplace_back("--quiet");
  CLI::App app;
  Action action;
  set_up(app, action);
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  app.parse(words);
  return action();
}

int demo(const DemoOptions& options) {
  namespace fs = std::filesystem;
  const fs::path folder(options.folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder)) {
    throw IoError(fmt::format("{}: cannot be made: {}", options.folder, error.message()));
  }
  const auto in_folder = [&](const char* name) { return (folder / name).string(); };
  const std::string data = in_folder("tree.npz"), map = in_folder("map.csv"),
                    page = in_folder("map.html"), picture = in_folder("map.png"),
                    manifest = in_folder("run.json");
  int code = run_words({"synth", "tree", "--n", "800", "--branches", "5", "--dim", "30", "--noise",
                        "1", "-o", data});
  if (code != success) return code;
  std::vector<std::string> words = {"embed",  data + ":X", "-o",         map,
                                    "--plot", picture,     "--manifest", manifest};
  if (has_page()) words.insert(words.end(), {"--html", page, "--compare", "pca"});
  code = run_words(std::move(words));
  if (code != success) return code;
  fmt::print(
      "\n800 points on a tree with five branches, in 30 dimensions:\n"
      "  {}  the data: X, the branch of each point (label), true distances\n"
      "  {}  the map, one row per point\n"
      "  {}  a picture of it\n",
      data, map, picture);
  if (has_page()) {
    fmt::print("  {}  the page: open it in a browser, click a point and see heat spread\n", page);
  } else {
    fmt::print("  no HTML page: this build was made without it (Node.js was not found)\n");
  }
  fmt::print(
      "Next: geotherm score --truth {} --estimate {}   (how accurate is the map?)\n"
      "      geotherm methods {}   (the Methods paragraph)\n",
      data, map, manifest);
  return success;
}

}  // namespace

void add_demo(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<DemoOptions>();
  CLI::App* command =
      app.add_subcommand("demo", "Make example data, its map, a picture and an HTML page");
  command->add_option("-o,--output", options->folder, "Folder for the files")
      ->type_name("FOLDER")
      ->capture_default_str();
  command->footer(
      "Example:\n"
      "  geotherm demo -o first-look\n");
  command->callback([options, &chosen] { chosen = [options] { return demo(*options); }; });
}

}  // namespace geotherm::cli
