// The command line: words parted by line breaks, parsed as the program does; nothing is run. The
// options of the methods are then resolved and checked as a run would.
#include <CLI/CLI.hpp>

#include "command.hpp"
#include "harness.hpp"
#include "method_flags.hpp"

namespace {

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty() && words.size() < 64) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    // No word of a command line goes past a zero byte.
    words.emplace_back(std::string(text.substr(0, end)).c_str());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// CLI11 takes the words from the back.
template <class App>
bool parses(App& app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());
  try {
    app.parse(words);
    return true;
  } catch (const CLI::Success&) {
    return false;  // --help, --version
  } catch (const CLI::ParseError& error) {
    geotherm::fuzz::require(!std::string(error.what()).empty(), "a refusal says why");
    return false;
  }
}

// The tree is large and nothing in it is run, so one serves all inputs.
void parse_as_program(const std::vector<std::string>& words) {
  static geotherm::cli::Action action;
  static CLI::App app;
  static const bool is_set_up = (geotherm::cli::set_up(app, action), true);
  action = nullptr;
  if (parses(app, words)) {
    geotherm::fuzz::require(is_set_up && action != nullptr, "a command was chosen");
  }
}

void parse_as_method(std::vector<std::string> words) {
  using namespace geotherm;
  const std::string command = words.empty() ? "" : words.front();
  const auto use = command == "distances" ? cli::MethodUse::distances
                   : command == "align"   ? cli::MethodUse::aligned_map
                                          : cli::MethodUse::map;
  if (!words.empty() && !words.front().starts_with("-")) words.erase(words.begin());
  std::erase_if(words, [](const std::string& word) { return word == "in.csv"; });
  CLI::App app;
  cli::MethodFlags options;
  cli::add_method_options(app, options, use);
  if (!parses(app, words)) return;
  try {
    cli::resolve(options);
  } catch (const InvalidArgument& error) {
    fuzz::require(std::string_view(error.what()).size() > 10, "a refusal says why");
    return;
  }
  fuzz::require(method_named(options.method) != nullptr, "the method exists");
  fuzz::require(!cli::to_json(options, use).dump().empty(), "options go into the manifest");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> words = words_in(geotherm::fuzz::text_of(data, size));
  parse_as_program(words);
  parse_as_method(words);
  return 0;
}
