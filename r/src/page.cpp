// Maps side by side as one HTML page.
#include "arrays.hpp"
#include "bindings.hpp"
#include "run.hpp"

using namespace geotherm;
using namespace cpp11::literals;

extern "C" SEXP geotherm_page(SEXP maps, SEXP columns, SEXP names, SEXP title, SEXP graph,
                              SEXP settings) {
  BEGIN_CPP11
  if (!has_page()) {
    throw InvalidArgument("this build has no page: its source package was made without Node.js");
  }
  const cpp11::list panels(maps), shown(columns), edges(graph);
  std::vector<Matrix<double>> held;
  held.reserve(static_cast<std::size_t>(panels.size()));
  PageData data{.title = cpp11::as_cpp<std::string>(title),
                .names = cpp11::as_cpp<std::vector<std::string>>(names)};
  const cpp11::strings map_names(panels.names());
  for (R_xlen_t i = 0; i < panels.size(); ++i) {
    held.push_back(r::rows_of(cpp11::doubles_matrix<>(panels[i])));
    data.panels.push_back({std::string(map_names[i]), held.back().view()});
  }
  if (shown.size() > 0) {
    const cpp11::strings column_names(shown.names());
    for (R_xlen_t i = 0; i < shown.size(); ++i) {
      PageColumn column{.name = std::string(column_names[i])};
      if (Rf_isString(shown[i])) {
        column.texts = cpp11::as_cpp<std::vector<std::string>>(shown[i]);
      } else {
        column.numbers = cpp11::as_cpp<std::vector<double>>(shown[i]);
      }
      data.columns.push_back(std::move(column));
    }
  }
  SparseMatrix weights;
  std::vector<Index> places;
  if (edges.size() > 0) {
    weights = r::sparse_of(cpp11::list(edges["weights"]));
    places = r::indices_of(cpp11::integers(edges["unique_inverse"]));
    data.graph = PageGraph{.weights = &weights,
                           .unique_inverse = places,
                           .time = cpp11::as_cpp<double>(edges["time"])};
  }
  r::Run run{cpp11::list(settings)};
  std::string page;
  const bool is_whole = run([&](const Context& context) { page = html_page(data, {}, context); });
  if (!is_whole) return r::interrupted();
  return cpp11::writable::list({"page"_nm = page, "warnings"_nm = run.warnings()});
  END_CPP11
}
