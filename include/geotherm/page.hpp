// Maps, columns, graph and trust -> one HTML page that needs nothing but a browser.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "geotherm/core.hpp"
#include "geotherm/texts.hpp"

namespace geotherm {

/// One map of the points; panels of a page show the same points in the same order.
struct PagePanel {
  std::string name = {};
  MatrixView<const double> coordinates = {};  ///< n x 1, 2 or 3 (further columns are not shown)
};

/// One value per point, to colour by, to filter by and to read on the card of a point. Exactly one
/// of the three forms is given.
struct PageColumn {
  enum class Role {
    column,   ///< what is known about the points: groups, times
    feature,  ///< a measured variable: a gene
    trust     ///< how far the picture can be believed at the point
  };
  std::string name = {};
  Role role = Role::column;
  std::vector<double> numbers = {};  ///< NaN: missing
  Texts texts = {};                  ///< groups; shown in natural order ("B2" before "B10")
  /// Features that are mostly 0: ascending rows and their values; the other points have 0.
  std::vector<Index> rows = {};
  std::vector<double> values = {};
  bool is_sparse = false;
  /// Given: the column speaks about this panel only. Columns of one name, each about its own panel,
  /// are one choice in the page.
  std::optional<std::size_t> panel = std::nullopt;
};

/// The graph that heat spreads on in the page.
struct PageGraph {
  const SparseMatrix* weights = nullptr;  ///< symmetric, over unique points or landmarks
  /// From points to those; empty: each has its own.
  std::span<const Index> unique_inverse = {};
  bool has_landmarks = false;  ///< the page says that a point has the heat of its landmark
  std::string laplacian = "combinatorial";  ///< or "normalized", "random-walk"
  double time = 0;                          ///< the run's own; 0: none
  double length_scale = 1;                  ///< brings heat distances to the units of the data
  std::vector<double> diagonal_times = {};  ///< ascending; times at which `diagonal` is known
  MatrixView<const double> diagonal = {};   ///< diagonal_times x points of the graph: h_t(i, i)
  std::vector<std::pair<Index, Index>> removed = {};  ///< shortcut edges, by points of the graph
};

struct PageNeighbors {
  MatrixView<const Index> indices = {};  ///< n x k, nearest first
  MatrixView<const double> distances = {};
  std::span<const Index> rows = {};  ///< ascending: the points that the lists are of; empty: all
};

struct PageCurve {
  std::vector<double> times = {};
  std::vector<double> values = {};
  double chosen = 0;
  std::string how = {};  ///< "knee", ...
};

/// A network of milestones with every point on one of its edges, drawn over the maps.
struct PageTrajectory {
  std::string pseudotime = {};                      ///< name of the column that orders the points
  std::vector<std::string> columns = {};            ///< further columns about it: branch, fates
  std::vector<std::string> milestones = {};         ///< names; the first is the root's
  std::vector<std::pair<Index, Index>> edges = {};  ///< of milestones, away from the root
  std::vector<Index> ends = {};                     ///< milestones
  std::vector<Index> edge_of = {};                  ///< of each point; -1: of none
  std::vector<double> fraction = {};                ///< along its edge, in [0, 1]
};

/// Another page, for the bar on top.
struct PageLink {
  std::string title = {};
  std::string file = {};  ///< relative to this page; no scheme, host or quotes
};

/// Everything in one page. Views must stay alive while it is written.
struct PageData {
  std::string title = {};
  std::vector<PagePanel> panels = {};
  std::vector<std::string> names = {};  ///< of points; empty: their numbers
  std::vector<PageColumn> columns = {};
  std::string color = {};  ///< the column shown first; empty: the first one
  std::optional<PageGraph> graph = std::nullopt;
  std::optional<PageNeighbors> neighbors = std::nullopt;
  std::optional<PageCurve> entropy = std::nullopt;
  std::optional<PageTrajectory> trajectory = std::nullopt;
  std::string manifest = {};  ///< JSON text of the run; empty: none
  std::vector<PageLink> links = {};
};

struct PageOptions {
  /// More points than this are thinned to a uniform sample, which keeps densities in proportion;
  /// the page says so. In [2, 1e7]. Neighbours are left out then.
  std::size_t max_points = 1'000'000;
  /// A graph of up to so many points, and neighbours of so many, are shipped; heat is computed in
  /// the page. A larger graph is left out: give that of landmarks (trust.hpp).
  std::size_t max_heat_points = 50'000;
};
std::vector<std::string> issues_with(const PageOptions&);
/// What cannot be shown: panels of different length, columns that do not fit, links elsewhere.
std::vector<std::string> issues_with(const PageData&);

/// Whether this build carries the page (it needs Node.js at build time); else html_page throws.
bool has_page();

/// The page as one HTML file: no network, nothing from the data in it as markup. Numbers are
/// deflated binary: about 5 bytes per point and two-dimensional panel, 1 per column of few groups,
/// 5 per numeric column. The same data gives the same bytes.
std::string html_page(const PageData&, const PageOptions& = {}, const Context& = {});

}  // namespace geotherm
