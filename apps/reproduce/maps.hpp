// Several maps of the same points as one picture: small panels side by side.
#pragma once

#include <string>
#include <vector>

#include "geotherm/report.hpp"
#include "experiment.hpp"

namespace geotherm::cli {

/// Coordinates as they travel in a job's result: {"unit": u, "places": [[x / u, y / u], ...]} of
/// every `stride`-th point, to four digits of the map's extent. Jobs that have one say so in their
/// key: {"maps", map_form}.
inline constexpr const char* map_form = "unit and places";
nlohmann::json map_in_json(MatrixView<const double> coordinates, std::size_t stride);
Matrix<double> map_from_json(const nlohmann::json& map);

struct MapPanel {
  std::string title = {};
  Matrix<double> coordinates = {};
};
/// `look` gives the colours; its title and size are those of the panels.
std::string panels_svg(const std::vector<MapPanel>& panels, PlotOptions look,
                       std::size_t n_columns = 3);

}  // namespace geotherm::cli
