#include "flag_names.hpp"

#include <algorithm>

#include "geotherm/options.hpp"

namespace geotherm::cli {

std::string in_flags(std::string_view message) {
  std::string result;
  std::size_t begin = 0;
  while (begin <= message.size()) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    std::string line(message.substr(begin, end - begin));
    const std::size_t space = line.find(' ');
    if (space != std::string::npos) {
      const Option* option = option_named(line.substr(0, space));
      const std::string rest = line.substr(space);
      if (option != nullptr && (rest.starts_with(" is ") || rest.starts_with(" = "))) {
        line = flag_of(*option) + rest;
      }
    }
    for (std::size_t open = line.find('`'); open != std::string::npos;
         open = line.find('`', open)) {
      const std::size_t close = line.find('`', open + 1);
      if (close == std::string::npos) break;
      std::string name = line.substr(open + 1, close - open - 1);
      std::ranges::replace(name, '_', '-');
      line.replace(open, close - open + 1, "--" + name);
    }
    result += line;
    if (end < message.size()) result += '\n';
    begin = end + 1;
  }
  return result;
}

}  // namespace geotherm::cli
