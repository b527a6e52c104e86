// Maps and columns -> one HTML page: a head in JSON that names binary blocks, in the template.
#include "geotherm/page.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "viewer/page_template.hpp"
#include "viewer/page_text.hpp"
#include "viewer/page_trajectory.hpp"
#include "viewer/svg_text.hpp"

namespace geotherm {
namespace {

using detail::json_number;
using detail::json_numbers;
using detail::json_string;
using detail::PageBlocks;

/// The points that are shown, ascending; empty: all.
using Sample = std::vector<std::size_t>;

Sample sample_of(std::size_t n, std::size_t most, const Context& context) {
  if (n <= most) return {};
  Sample all(n);
  std::iota(all.begin(), all.end(), std::size_t{0});
  Rng rng(context.seed, "page.sample");
  for (std::size_t i = 0; i < most; ++i) {
    std::swap(all[i], all[i + static_cast<std::size_t>(rng.below(n - i))]);
  }
  all.resize(most);
  std::sort(all.begin(), all.end());
  return all;
}

template <class T>
std::vector<T> taken(const std::vector<T>& values, const Sample& sample) {
  if (sample.empty()) return values;
  std::vector<T> some;
  for (const std::size_t i : sample) some.push_back(values[i]);
  return some;
}

Texts taken(const Texts& texts, const Sample& sample) {
  if (sample.empty()) return texts;
  return texts.rows(std::vector<Index>(sample.begin(), sample.end()));
}

/// 16 bits per axis, one scale for all axes: a page's zoom ends before the steps show.
std::string panel_json(const PagePanel& panel, const Sample& sample, PageBlocks& blocks) {
  constexpr double steps = 65535;
  const auto& map = panel.coordinates;
  const std::size_t dims = std::min<std::size_t>(map.cols, 3);
  const std::size_t n = sample.empty() ? map.rows : sample.size();
  const auto row_of = [&](std::size_t i) { return sample.empty() ? i : sample[i]; };
  std::vector<double> low(dims, std::numeric_limits<double>::infinity());
  std::vector<double> high(dims, -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < dims; ++k) {
      low[k] = std::min(low[k], map(row_of(i), k));
      high[k] = std::max(high[k], map(row_of(i), k));
    }
  }
  double extent = 0;
  for (std::size_t k = 0; k < dims; ++k) extent = std::max(extent, high[k] - low[k]);
  std::vector<std::uint16_t> places;
  places.reserve(n * dims);
  for (std::size_t k = 0; k < dims; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      const double share = extent > 0 ? (map(row_of(i), k) - low[k]) / extent : 0;
      places.push_back(static_cast<std::uint16_t>(std::lround(share * steps)));
    }
  }
  return "{\"name\":" + json_string(panel.name) + ",\"dims\":" + std::to_string(dims) +
         ",\"low\":" + json_numbers(low) + ",\"extent\":" + json_number(extent) +
         ",\"coords\":" + blocks.add(places) + "}";
}

std::string groups_json(const Texts& texts, PageBlocks& blocks) {
  const std::vector<std::string> labels = detail::in_natural_order(texts);
  std::unordered_map<std::string_view, std::uint32_t> code_of;
  std::string listed = "[";
  for (const std::string& label : labels) {
    code_of[label] = static_cast<std::uint32_t>(code_of.size());
    if (listed.size() > 1) listed += ',';
    listed += json_string(label);
  }
  std::string codes;
  const auto add = [&]<class T>(T) {
    std::vector<T> small;
    small.reserve(texts.size());
    for (const std::string& text : texts) small.push_back(static_cast<T>(code_of[text]));
    codes = blocks.add(small);
  };
  if (labels.size() <= 256) {
    add(std::uint8_t{});
  } else if (labels.size() <= 65536) {
    add(std::uint16_t{});
  } else {
    add(std::uint32_t{});
  }
  return "\"kind\":\"category\",\"labels\":" + listed + "],\"codes\":" + codes;
}

std::string sparse_json(const PageColumn& column, const Sample& sample, PageBlocks& blocks) {
  std::vector<std::uint32_t> rows;
  std::vector<float> values;
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    auto row = static_cast<std::size_t>(column.rows[i]);
    if (!sample.empty()) {
      const auto place = std::lower_bound(sample.begin(), sample.end(), row);
      if (place == sample.end() || *place != row) continue;
      row = static_cast<std::size_t>(place - sample.begin());
    }
    rows.push_back(static_cast<std::uint32_t>(row));
    values.push_back(static_cast<float>(column.values[i]));
  }
  return "\"kind\":\"sparse\",\"rows\":" + blocks.add(rows) + ",\"values\":" + blocks.add(values);
}

std::string column_json(const PageColumn& column, const Sample& sample, PageBlocks& blocks) {
  constexpr const char* roles[] = {"column", "feature", "trust"};
  std::string out = "{\"name\":" + json_string(column.name) + ",\"role\":\"" +
                    roles[static_cast<std::size_t>(column.role)] + "\",";
  if (column.panel) out += "\"panel\":" + std::to_string(*column.panel) + ",";
  if (column.is_sparse) return out + sparse_json(column, sample, blocks) + "}";
  if (!column.texts.empty()) return out + groups_json(taken(column.texts, sample), blocks) + "}";
  const std::vector<double> numbers = taken(column.numbers, sample);
  return out + "\"kind\":\"number\",\"values\":" +
         blocks.add(std::vector<float>(numbers.begin(), numbers.end())) + "}";
}

/// Every edge once (from < to), row by row; the page mirrors them.
std::string graph_json(const PageGraph& graph, const Sample& sample, PageBlocks& blocks) {
  const SparseMatrix& weights = *graph.weights;
  std::vector<std::uint32_t> counts, targets, removed, places;
  std::vector<float> values, diagonal;
  for (std::size_t i = 0; i < weights.rows; ++i) {
    const std::size_t before = targets.size();
    for (std::size_t e = weights.offsets[i]; e < weights.offsets[i + 1]; ++e) {
      if (static_cast<std::size_t>(weights.indices[e]) <= i) continue;
      targets.push_back(static_cast<std::uint32_t>(weights.indices[e]));
      values.push_back(static_cast<float>(weights.values[e]));
    }
    counts.push_back(static_cast<std::uint32_t>(targets.size() - before));
  }
  for (const auto& [from, to] : graph.removed) {
    removed.push_back(static_cast<std::uint32_t>(from));
    removed.push_back(static_cast<std::uint32_t>(to));
  }
  // Logarithms: the page interpolates between times, where heat falls by powers.
  for (std::size_t s = 0; s < graph.diagonal.rows; ++s) {
    for (const double heat : graph.diagonal.row(s)) {
      diagonal.push_back(static_cast<float>(std::log(std::max(heat, 1e-300))));
    }
  }
  std::string out = "{\"places\":" + std::to_string(weights.rows) +
                    ",\"laplacian\":" + json_string(graph.laplacian) +
                    ",\"time\":" + json_number(graph.time) +
                    ",\"lengthScale\":" + json_number(graph.length_scale) +
                    ",\"counts\":" + blocks.add(counts) + ",\"targets\":" + blocks.add(targets) +
                    ",\"weights\":" + blocks.add(values) + ",\"removed\":" + blocks.add(removed) +
                    ",\"diagonalTimes\":" + json_numbers(graph.diagonal_times) +
                    ",\"logDiagonal\":" + blocks.add(diagonal);
  if (sample.empty()) {
    places.assign(graph.unique_inverse.begin(), graph.unique_inverse.end());
  } else {
    for (const std::size_t i : sample) {
      places.push_back(static_cast<std::uint32_t>(
          graph.unique_inverse.empty() ? static_cast<Index>(i) : graph.unique_inverse[i]));
    }
  }
  if (graph.has_landmarks) out += ",\"landmarks\":true";
  if (!places.empty()) out += ",\"placeOf\":" + blocks.add(places);
  return out + "}";
}

std::string neighbors_json(const PageNeighbors& neighbors, PageBlocks& blocks) {
  std::vector<std::uint32_t> indices;
  std::vector<float> distances;
  for (std::size_t i = 0; i < neighbors.indices.rows; ++i) {
    for (const Index j : neighbors.indices.row(i)) indices.push_back(static_cast<std::uint32_t>(j));
    for (const double d : neighbors.distances.row(i)) distances.push_back(static_cast<float>(d));
  }
  return "{\"k\":" + std::to_string(neighbors.indices.cols) +
         ",\"indices\":" + blocks.add(indices) + ",\"distances\":" + blocks.add(distances) +
         (neighbors.rows.empty()
              ? ""
              : ",\"rows\":" + blocks.add(std::vector<std::uint32_t>(neighbors.rows.begin(),
                                                                     neighbors.rows.end()))) +
         "}";
}

template <class T, class ToJson>
std::string list_json(const std::vector<T>& items, ToJson to_json) {
  std::string out = "[";
  for (const T& item : items) {
    if (out.size() > 1) out += ',';
    out += to_json(item);
  }
  return out + "]";
}

std::string head_json(const PageData& data, const Sample& sample, const PageOptions& options,
                      PageBlocks& blocks) {
  const std::size_t n_all = data.panels.front().coordinates.rows;
  const std::size_t n = sample.empty() ? n_all : sample.size();
  std::string out =
      "{\"format\":1,\"generator\":" + json_string(std::string("geotherm ") + version()) +
      ",\"title\":" + json_string(data.title) + ",\"n\":" + std::to_string(n) +
      ",\"total\":" + std::to_string(n_all) + ",\"color\":" + json_string(data.color);
  out += ",\"panels\":" + list_json(data.panels, [&](const PagePanel& panel) {
           return panel_json(panel, sample, blocks);
         });
  out += ",\"columns\":" + list_json(data.columns, [&](const PageColumn& column) {
           return column_json(column, sample, blocks);
         });
  if (!data.names.empty()) out += ",\"names\":" + blocks.add_lines(taken(data.names, sample));
  if (!sample.empty()) {
    out += ",\"rows\":" + blocks.add(std::vector<std::uint32_t>(sample.begin(), sample.end()));
  }
  if (data.graph && data.graph->weights->rows <= options.max_heat_points) {
    out += ",\"graph\":" + graph_json(*data.graph, sample, blocks);
  }
  if (data.neighbors && sample.empty() && data.neighbors->indices.rows <= options.max_heat_points) {
    out += ",\"neighbors\":" + neighbors_json(*data.neighbors, blocks);
  }
  if (data.trajectory) {
    out += ",\"trajectory\":" + detail::trajectory_json(*data.trajectory, sample, blocks);
  }
  if (data.entropy && !data.entropy->times.empty()) {
    out += ",\"entropy\":{\"times\":" + json_numbers(data.entropy->times) +
           ",\"values\":" + json_numbers(data.entropy->values) +
           ",\"chosen\":" + json_number(data.entropy->chosen) +
           ",\"how\":" + json_string(data.entropy->how) + "}";
  }
  if (!data.manifest.empty()) out += ",\"manifest\":" + detail::json_in_script(data.manifest);
  out += ",\"links\":" + list_json(data.links, [](const PageLink& link) {
           return "{\"title\":" + json_string(link.title) + ",\"file\":" + json_string(link.file) +
                  "}";
         });
  return out + "}";
}

}  // namespace

bool has_page() { return !detail::page_template().empty(); }

std::string html_page(const PageData& data, const PageOptions& options, const Context& context) {
  if (!has_page()) {
    throw InvalidArgument(
        "this build has no HTML page: it was made without Node.js and npm. Install them (Debian: "
        "nodejs, npm) and build again with -DGEOTHERM_WITH_VIEWER=ON");
  }
  refuse_if_any(issues_with(options));
  refuse_if_any(issues_with(data));
  for (const PagePanel& panel : data.panels) {
    for (std::size_t i = 0; i < panel.coordinates.rows; ++i) {
      for (const double x : panel.coordinates.row(i)) {
        if (std::isfinite(x)) continue;
        throw InvalidData("panel '" + panel.name + "', row " + std::to_string(i) +
                          ": a coordinate is not finite");
      }
    }
  }
  const std::size_t n = data.panels.front().coordinates.rows;
  const Sample sample = sample_of(n, options.max_points, context);
  if (!sample.empty()) {
    context.warn("the page shows " + std::to_string(sample.size()) + " of " + std::to_string(n) +
                 " points, a uniform sample that keeps densities in proportion");
  }
  PageBlocks blocks;
  const std::string head = head_json(data, sample, options, blocks);
  const std::string_view page = detail::page_template();
  const std::size_t slot = page.find(detail::kPageSlot);
  std::string out(page.substr(0, slot));
  out.append("<script type=\"application/json\" id=\"head\">").append(head).append("</script>\n");
  out.append(blocks.elements());
  out.append(page.substr(slot + detail::kPageSlot.size()));
  return out;
}

}  // namespace geotherm
