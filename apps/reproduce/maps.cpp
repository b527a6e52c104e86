#include "maps.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace geotherm::cli {
namespace {

constexpr int panel_width = 340, panel_height = 300;

}  // namespace

nlohmann::json map_in_json(MatrixView<const double> coordinates, std::size_t stride) {
  double largest = 0;
  for (std::size_t i = 0; i < coordinates.rows; ++i) {
    for (const double x : coordinates.row(i)) largest = std::max(largest, std::abs(x));
  }
  const double unit = largest > 0 ? largest / 10000 : 1;
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t i = 0; i < coordinates.rows; i += stride) {
    rows.push_back({std::lround(coordinates(i, 0) / unit), std::lround(coordinates(i, 1) / unit)});
  }
  return {{"unit", unit}, {"places", std::move(rows)}};
}

Matrix<double> map_from_json(const nlohmann::json& map) {
  const double unit = map.at("unit");
  const nlohmann::json& places = map.at("places");
  Matrix<double> coordinates(places.size(), 2);
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t k = 0; k < 2; ++k) coordinates(i, k) = unit * places[i].at(k).get<double>();
  }
  return coordinates;
}

std::string panels_svg(const std::vector<MapPanel>& panels, PlotOptions look,
                       std::size_t n_columns) {
  const std::size_t n_rows = (panels.size() + n_columns - 1) / n_columns;
  const std::size_t width = n_columns * panel_width, height = n_rows * panel_height;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\">\n",
      width, height);
  look.width = panel_width;
  look.height = panel_height;
  for (std::size_t k = 0; k < panels.size(); ++k) {
    look.title = panels[k].title;
    const std::string panel = scatter_svg(panels[k].coordinates, look);
    const std::size_t begin = panel.find("<svg");
    svg += fmt::format("<svg x=\"{}\" y=\"{}\"{}", (k % n_columns) * panel_width,
                       (k / n_columns) * panel_height, panel.substr(begin + 4));
  }
  return svg + "</svg>\n";
}

}  // namespace geotherm::cli
