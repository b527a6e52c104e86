// Maps in the terminal the program runs in.
#pragma once

#include <string>

#include "geotherm/report.hpp"

namespace geotherm::cli {

/// True where stdout is a terminal, not a file or a pipe.
bool is_on_terminal();

/// Prints the scatter plot on stdout, as wide as the terminal (80 columns elsewhere); colours
/// unless stdout is no terminal, NO_COLOR is set, or TERM is "dumb".
void print_scatter(MatrixView<const double> coordinates, const PlotOptions& plot);

}  // namespace geotherm::cli
