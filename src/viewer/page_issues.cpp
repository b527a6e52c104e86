// What a page cannot show, each complaint with its place and remedy.
#include "geotherm/page.hpp"
#include "viewer/page_trajectory.hpp"

namespace geotherm {
namespace {

std::string count(std::size_t n) { return std::to_string(n); }

void check_panels(const PageData& data, std::vector<std::string>& issues) {
  if (data.panels.empty()) issues.push_back("panels is empty: a page shows at least one map");
  for (const PagePanel& panel : data.panels) {
    const auto& map = panel.coordinates;
    if (map.rows == 0 || map.cols == 0) {
      issues.push_back("panel '" + panel.name + "' has no points");
    } else if (map.rows != data.panels.front().coordinates.rows) {
      issues.push_back("panel '" + panel.name + "' has " + count(map.rows) + " points but '" +
                       data.panels.front().name + "' has " +
                       count(data.panels.front().coordinates.rows) +
                       ": panels of one page show the same points");
    }
  }
}

void check_column(const PageColumn& column, std::size_t n, std::size_t n_panels,
                  std::vector<std::string>& issues) {
  const std::string name = "column '" + column.name + "'";
  if (column.is_sparse) {
    if (column.rows.size() != column.values.size()) {
      issues.push_back(name + " has " + count(column.rows.size()) + " rows but " +
                       count(column.values.size()) + " values");
    }
    Index before = -1;
    for (const Index row : column.rows) {
      if (row <= before || static_cast<std::size_t>(row) >= n) {
        issues.push_back(name + ": its rows do not rise within the " + count(n) + " points");
        break;
      }
      before = row;
    }
  } else if (column.numbers.empty() == column.texts.empty()) {
    issues.push_back(name + ": give either numbers or texts");
  } else if (column.numbers.size() + column.texts.size() != n) {
    issues.push_back(name + " has " + count(column.numbers.size() + column.texts.size()) +
                     " values for " + count(n) + " points: there must be one per point");
  }
  if (column.panel && *column.panel >= n_panels) {
    issues.push_back(name + " speaks about panel " + count(*column.panel) + " of " +
                     count(n_panels));
  }
}

void check_graph(const PageGraph& graph, std::size_t n, std::vector<std::string>& issues) {
  if (graph.weights == nullptr) {
    issues.push_back("graph has no weights");
    return;
  }
  const std::size_t n_places = graph.weights->rows;
  if (graph.unique_inverse.empty() ? n_places != n : graph.unique_inverse.size() != n) {
    issues.push_back("the graph has " + count(n_places) + " places and " +
                     count(graph.unique_inverse.size()) + " points lead to them; the map has " +
                     count(n) + " points");
  }
  if (graph.diagonal.rows != graph.diagonal_times.size() ||
      (graph.diagonal.rows > 0 && graph.diagonal.cols != n_places)) {
    issues.push_back("the graph's diagonal is " + count(graph.diagonal.rows) + " x " +
                     count(graph.diagonal.cols) + ", not " + count(graph.diagonal_times.size()) +
                     " times x " + count(n_places) + " places");
  }
}

/// Pages beside this one: a name that a browser could read as a scheme or a host is refused.
bool is_beside(const std::string& file) {
  return !file.empty() && file.find_first_of(":\"'<>\\") == std::string::npos &&
         !file.starts_with('/');
}

}  // namespace

std::vector<std::string> issues_with(const PageOptions& options) {
  std::vector<std::string> issues;
  if (options.max_points < 2 || options.max_points > 10'000'000) {
    issues.push_back("max_points = " + count(options.max_points) + " is not in [2, 10000000]");
  }
  return issues;
}

std::vector<std::string> issues_with(const PageData& data) {
  std::vector<std::string> issues;
  check_panels(data, issues);
  if (!issues.empty()) return issues;
  const std::size_t n = data.panels.front().coordinates.rows;
  if (!data.names.empty() && data.names.size() != n) {
    issues.push_back("there are " + count(data.names.size()) + " names for " + count(n) +
                     " points");
  }
  for (const PageColumn& column : data.columns) {
    check_column(column, n, data.panels.size(), issues);
  }
  if (data.graph) check_graph(*data.graph, n, issues);
  if (data.neighbors) {
    const PageNeighbors& lists = *data.neighbors;
    const std::size_t n_lists = lists.rows.empty() ? n : lists.rows.size();
    if (lists.indices.rows != n_lists || lists.distances.rows != n_lists ||
        lists.indices.cols != lists.distances.cols) {
      issues.push_back("neighbors are of " + count(lists.indices.rows) + " points, not of " +
                       count(n_lists));
    }
  }
  if (data.entropy && data.entropy->times.size() != data.entropy->values.size()) {
    issues.push_back("the entropy curve has " + count(data.entropy->times.size()) + " times but " +
                     count(data.entropy->values.size()) + " values");
  }
  detail::check_trajectory(data, issues);
  for (const PageLink& link : data.links) {
    if (!is_beside(link.file)) {
      issues.push_back("link '" + link.title + "' leads to '" + link.file +
                       "': give a file beside the page, such as tree.html");
    }
  }
  return issues;
}

}  // namespace geotherm
