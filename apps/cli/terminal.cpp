#include "terminal.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace geotherm::cli {

bool is_on_terminal() { return isatty(STDOUT_FILENO) == 1; }

void print_scatter(MatrixView<const double> coordinates, const PlotOptions& plot) {
  TerminalOptions options;
  winsize size{};
  if (is_on_terminal() && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    options.columns = std::clamp<int>(size.ws_col, 20, 160);
    // Room for the title, the legend and the next prompt.
    options.rows = std::clamp<int>(size.ws_row - 6, 8, 60);
  }
  const char* term = std::getenv("TERM");
  const bool is_dumb = term != nullptr && std::string_view(term) == "dumb";
  const char* no_colour = std::getenv("NO_COLOR");
  options.has_colour = is_on_terminal() && !is_dumb && (no_colour == nullptr || *no_colour == '\0');
  fmt::print("{}", terminal_scatter(coordinates, plot, options));
}

}  // namespace geotherm::cli
