#include "words.hpp"

namespace geotherm::cli {
namespace {

std::vector<std::string>& kept() {
  static std::vector<std::string> words;
  return words;
}

}  // namespace

void keep_words(int argc, char** argv) {
  if (argc > 2) kept().assign(argv + 2, argv + argc);
}

const std::vector<std::string>& words_after_command() { return kept(); }

}  // namespace geotherm::cli
