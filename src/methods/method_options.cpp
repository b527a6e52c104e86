// What holds of a method's options together: their complaints, and the choices left to a method.
#include <iterator>

#include "geotherm/methods.hpp"

namespace geotherm {

std::string_view to_string(Rates rates) { return rates == Rates::hops ? "hops" : "lengths"; }

std::optional<Rates> rates_named(std::string_view name) {
  if (name == "hops") return Rates::hops;
  if (name == "lengths") return Rates::lengths;
  return std::nullopt;
}

std::vector<std::string> issues_with(const MethodOptions& options) {
  std::vector<std::string> all;
  const auto add = [&](std::vector<std::string> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  };
  add(issues_with(options.affinity));
  if (needs_raw_columns(options.neighbors.metric) && options.pca &&
      options.pca->rank.value_or(0) > 0) {
    all.push_back("pca is " + std::to_string(*options.pca->rank) + ": metric " +
                  std::string(to_string(options.neighbors.metric)) +
                  " looks at the columns as they are; leave pca out");
  }
  if (options.smooth) add(issues_with(*options.smooth));
  if (options.shortcuts) add(issues_with(*options.shortcuts));
  if (options.landmarks) add(issues_with(*options.landmarks));
  add(issues_with(options.heat));
  add(issues_with(options.dissimilarity));
  add(issues_with(options.mds));
  if (options.refine) add(issues_with(*options.refine));
  add(issues_with(options.tsne));
  add(issues_with(options.umap));
  return all;
}

MethodOptions with_heat_geo_choices(MethodOptions options, std::size_t n_points) {
  constexpr std::size_t most_searched = 20000;
  if (!options.pca) options.pca = PcaOptions{};
  // Principal components of sets, codes or angles mean nothing.
  if (needs_raw_columns(options.neighbors.metric) && !options.pca->rank) options.pca->rank = 0;
  if (!options.shortcuts && n_points <= most_searched) options.shortcuts = ShortcutOptions{};
  if (!options.rates) options.rates = Rates::hops;
  return options;
}

MethodOptions as_published(MethodOptions options) {
  options.pca = PcaOptions{.rank = 0};
  options.smooth.reset();
  options.shortcuts = ShortcutOptions{.share = 0};
  options.rates = Rates::hops;
  options.has_data_units = false;
  options.refine = RefineOptions{.epochs = 0};
  if (options.time_choice) options.time_choice->rule = TimeRule::knee;
  return options;
}

}  // namespace geotherm
