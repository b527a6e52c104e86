#include "terminal.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/platform.hpp"

namespace geotherm::cli {

namespace platform = detail::platform;

bool is_on_terminal() { return platform::is_terminal(platform::Stream::out); }

void print_scatter(MatrixView<const double> coordinates, const PlotOptions& plot) {
  TerminalOptions options;
  const platform::TerminalSize size = platform::terminal_size(platform::Stream::out);
  if (size.columns > 0) {
    options.columns = std::clamp(size.columns, 20, 160);
    // Room for the title, the legend and the next prompt.
    options.rows = std::clamp(size.rows - 6, 8, 60);
  }
  const char* term = std::getenv("TERM");
  const bool is_dumb = term != nullptr && std::string_view(term) == "dumb";
  const char* no_colour = std::getenv("NO_COLOR");
  options.has_colour = is_on_terminal() && !is_dumb && (no_colour == nullptr || *no_colour == '\0');
  fmt::print("{}", terminal_scatter(coordinates, plot, options));
}

}  // namespace geotherm::cli
