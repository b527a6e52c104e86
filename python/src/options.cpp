#include "options.hpp"

#include <nanobind/stl/string.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace geotherm::python {
namespace {

std::string shown(nb::handle value) { return nb::cast<std::string>(nb::repr(value)); }

[[noreturn]] void wrong_type(const char* name, nb::handle value, const std::string& remedy) {
  throw nb::type_error((std::string(name) + " is " + shown(value) + ": give " + remedy).c_str());
}
[[noreturn]] void wrong_value(const char* name, nb::handle value, const std::string& remedy) {
  throw nb::value_error((std::string(name) + " is " + shown(value) + ": give " + remedy).c_str());
}

bool is_text(nb::handle value) { return nb::isinstance<nb::str>(value); }

double number(const char* name, nb::handle value, const std::string& remedy) {
  if (is_text(value) || nb::isinstance<nb::bool_>(value)) wrong_type(name, value, remedy);
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    wrong_type(name, value, remedy);
  }
  return number;
}

std::size_t count(const char* name, nb::handle value, const std::string& remedy) {
  if (is_text(value) || nb::isinstance<nb::bool_>(value)) wrong_type(name, value, remedy);
  const nb::object whole = nb::steal(PyNumber_Index(value.ptr()));
  if (!whole.is_valid()) {
    PyErr_Clear();
    wrong_type(name, value, remedy);
  }
  const long long wide = PyLong_AsLongLong(whole.ptr());
  if ((wide == -1 && PyErr_Occurred() != nullptr) || wide < 0) {
    PyErr_Clear();
    wrong_value(name, value, remedy);
  }
  return static_cast<std::size_t>(wide);
}

/// The words of an enum, from its first to `last`.
template <class Enum>
struct Words {
  Enum last;
  std::optional<Enum> (*named)(std::string_view);

  std::string joined() const {
    std::string all;
    for (int i = 0; i <= static_cast<int>(last); ++i) {
      if (i > 0) all += ", ";
      all += to_string(static_cast<Enum>(i));
    }
    return all;
  }
};

/// The balance of a refinement: a keyword of its own beside the number of epochs.
struct Balance {
  std::optional<RefineOptions>& of;
};

/// Calls visit(keyword, field) and visit(keyword, field, words) for every field there is. Some
/// keywords stand for more than a field: pca, smooth, shortcuts, time, landmarks and refine. None
/// leaves a choice to the method.
template <class Visit>
void each_field(MethodOptions& o, Visit&& visit) {
  visit("pca", o.pca);
  visit("knn", o.neighbors.knn);
  visit("metric", o.neighbors.metric, Words<Metric>{Metric::manhattan, metric_named});
  visit("search", o.neighbors.search,
        Words<NeighborSearch>{NeighborSearch::approximate, neighbor_search_named});
  visit("graph", o.affinity.kind, Words<Affinity>{Affinity::fuzzy_union, affinity_named});
  visit("decay", o.affinity.decay);
  visit("threshold", o.affinity.threshold);
  visit("anisotropy", o.affinity.anisotropy);
  visit("components", o.components,
        Words<ComponentPolicy>{ComponentPolicy::error, component_policy_named});
  visit("smooth", o.smooth);
  visit("shortcuts", o.shortcuts);
  visit("rates", o.rates, Words<Rates>{Rates::lengths, rates_named});
  visit("laplacian", o.laplacian,
        Words<LaplacianKind>{LaplacianKind::random_walk, laplacian_kind_named});
  visit("time", o.time_choice);
  visit("kernel", o.heat.method, Words<KernelMethod>{KernelMethod::euler, kernel_method_named});
  visit("order", o.heat.order);
  visit("harnack", o.dissimilarity.harnack);
  visit("denoise", o.dissimilarity.denoise);
  visit("kernel_floor", o.dissimilarity.kernel_floor);
  visit("max_distance", o.dissimilarity.max_distance);
  visit("landmarks", o.landmarks);
  visit("refine", o.refine);
  Balance balance{o.refine};
  visit("balance", balance);
  visit("n_components", o.mds.n_components);
  visit("mds", o.mds.method, Words<MdsMethod>{MdsMethod::sgd, mds_method_named});
  visit("mds_weights", o.mds.weights, Words<MdsWeights>{MdsWeights::gaussian, mds_weights_named});
  visit("max_iterations", o.mds.max_iterations);
  visit("tolerance", o.mds.tolerance);
  visit("n_shakes", o.mds.n_shakes);
  visit("perplexity", o.tsne.perplexity);
  visit("early_exaggeration", o.tsne.early_exaggeration);
  visit("n_iterations", o.tsne.iterations);
  visit("theta", o.tsne.theta);
  visit("learning_rate", o.tsne.learning_rate);
  visit("min_dist", o.umap.min_dist);
  visit("spread", o.umap.spread);
  visit("n_epochs", o.umap.n_epochs);
  visit("negative_sample_rate", o.umap.negative_sample_rate);
}

/// Writes each field's value into `flat`.
struct Reader {
  nb::dict& flat;
  const MethodOptions& options;

  template <class T>
  void operator()(const char* name, const T& field) const {
    flat[name] = field;
  }
  template <class T>
  void operator()(const char* name, const std::optional<T>& field) const {
    flat[name] = field ? nb::cast(*field) : nb::none();
  }
  template <class Enum>
  void operator()(const char* name, const Enum& field, const Words<Enum>&) const {
    const std::string_view word = to_string(field);
    flat[name] = nb::str(word.data(), word.size());
  }
  template <class Enum>
  void operator()(const char* name, const std::optional<Enum>& field, const Words<Enum>& w) const {
    if (field) {
      (*this)(name, *field, w);
    } else {
      flat[name] = nb::none();
    }
  }
  void operator()(const char* name, const std::optional<SmoothOptions>& field) const {
    if (!field) {
      flat[name] = nb::none();
    } else if (field->steps) {
      flat[name] = *field->steps;
    } else {
      flat[name] = "auto";
    }
  }
  void operator()(const char* name, const std::optional<PcaOptions>& field) const {
    if (!field) {
      flat[name] = nb::none();
    } else if (field->rank) {
      flat[name] = *field->rank;
    } else {
      flat[name] = "auto";
    }
  }
  void operator()(const char* name, const std::optional<ShortcutOptions>& field) const {
    if (field) {
      flat[name] = "auto";
    } else {
      flat[name] = nb::none();
    }
  }
  void operator()(const char* name, const std::optional<LandmarkOptions>& field) const {
    if (!field) {
      flat[name] = "none";
    } else if (field->count) {
      flat[name] = *field->count;
    } else {
      flat[name] = "auto";
    }
  }
  void operator()(const char* name, const std::optional<RefineOptions>& field) const {
    if (field && field->epochs) {
      flat[name] = *field->epochs;
    } else {
      flat[name] = nb::none();
    }
  }
  void operator()(const char* name, const Balance& field) const {
    if (field.of) {
      flat[name] = field.of->balance;
    } else {
      flat[name] = nb::none();
    }
  }
  void operator()(const char* name, const std::optional<TimeOptions>& field) const {
    if (field) {
      flat[name] = "auto";
    } else {
      flat[name] = options.heat.time;
    }
  }
};

/// Takes each field's value out of `flat` where it is there.
struct Writer {
  const nb::dict& flat;
  MethodOptions& options;
  std::size_t& n_taken;

  nb::object given(const char* name) const {
    if (!flat.contains(name)) return {};
    ++n_taken;
    return nb::borrow(flat[name]);
  }

  void set(const char* name, double& field, nb::handle value) const {
    field = number(name, value, "a number");
  }
  void set(const char* name, std::size_t& field, nb::handle value) const {
    field = count(name, value, "a whole number");
  }
  void set(const char* name, int& field, nb::handle value) const {
    const std::size_t wide = count(name, value, "a whole number");
    if (wide > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      wrong_value(name, value, "a number below 2^31");
    }
    field = static_cast<int>(wide);
  }

  template <class T>
  void operator()(const char* name, T& field) const {
    if (const nb::object value = given(name); value.is_valid()) set(name, field, value);
  }
  template <class T>
  void operator()(const char* name, std::optional<T>& field) const {
    const nb::object value = given(name);
    if (!value.is_valid()) return;
    if (value.is_none() || (is_text(value) && nb::cast<std::string>(value) == "auto")) {
      field.reset();
    } else {
      T inner{};
      set(name, inner, value);
      field = inner;
    }
  }
  template <class Enum>
  void operator()(const char* name, Enum& field, const Words<Enum>& words) const {
    const nb::object value = given(name);
    if (!value.is_valid()) return;
    if (!is_text(value)) wrong_type(name, value, "one of " + words.joined());
    // The library writes some words with a hyphen; Python people write underscores.
    std::string word = nb::cast<std::string>(value);
    for (char& c : word) c = c == '_' ? '-' : c;
    const auto found = words.named(word);
    if (!found) wrong_value(name, value, "one of " + words.joined());
    field = *found;
  }
  template <class Enum>
  void operator()(const char* name, std::optional<Enum>& field, const Words<Enum>& words) const {
    if (flat.contains(name) && flat[name].is_none()) {
      given(name);
      field.reset();
      return;
    }
    Enum inner = field.value_or(Enum{});
    const std::size_t before = n_taken;
    (*this)(name, inner, words);
    if (n_taken > before) field = inner;
  }
  void operator()(const char* name, std::optional<SmoothOptions>& field) const {
    const nb::object value = given(name);
    if (!value.is_valid()) return;
    const char* remedy = "None, 'off', 'auto', or a number of steps";
    field.reset();
    if (value.is_none()) return;
    if (!is_text(value)) {
      field = SmoothOptions{.steps = count(name, value, remedy)};
    } else if (nb::cast<std::string>(value) == "auto") {
      field = SmoothOptions{};
    } else if (nb::cast<std::string>(value) != "off") {
      wrong_value(name, value, remedy);
    }
  }
  void operator()(const char* name, std::optional<PcaOptions>& field) const {
    const nb::object value = given(name);
    if (!value.is_valid()) return;
    const char* remedy = "None, 'none', 'auto', or a number of components";
    if (value.is_none()) {
      field.reset();
    } else if (!is_text(value)) {
      const std::size_t rank = count(name, value, remedy);
      if (rank == 0) wrong_value(name, value, remedy);
      field = PcaOptions{.rank = rank};
    } else if (nb::cast<std::string>(value) == "auto") {
      field = PcaOptions{};
    } else if (nb::cast<std::string>(value) == "none") {
      field = PcaOptions{.rank = 0};
    } else {
      wrong_value(name, value, remedy);
    }
  }
  void operator()(const char* name, std::optional<ShortcutOptions>& field) const {
    const nb::object value = given(name);
    if (!value.is_valid()) return;
    const char* remedy = "None, 'off', 'auto', or a share of the edges in (0, 0.5]";
    if (value.is_none()) {
      field.reset();
    } else if (value.is(nb::handle(Py_False))) {
      field = ShortcutOptions{.share = 0};
    } else if (value.is(nb::handle(Py_True))) {
      field = ShortcutOptions{};
    } else if (is_text(value)) {
      const auto word = nb::cast<std::string>(value);
      if (word != "auto" && word != "off") wrong_value(name, value, remedy);
      field = word == "auto" ? ShortcutOptions{} : ShortcutOptions{.share = 0};
    } else {
      field = ShortcutOptions{.share = number(name, value, remedy)};
    }
  }
  void operator()(const char* name, std::optional<LandmarkOptions>& field) const {
    const nb::object value = given(name);
    if (!value.is_valid()) return;
    const char* remedy = "'auto', 'none', or a number of landmarks from 2";
    field = LandmarkOptions{};
    if (value.is_none()) return;
    if (!is_text(value)) {
      field->count = count(name, value, remedy);
      if (*field->count < 2) wrong_value(name, value, remedy);
    } else if (nb::cast<std::string>(value) == "none") {
      field.reset();
    } else if (nb::cast<std::string>(value) != "auto") {
      wrong_value(name, value, remedy);
    }
  }
  void operator()(const char* name, std::optional<RefineOptions>& field) const {
    const nb::object value = given(name);
    if (!value.is_valid()) return;
    const char* remedy = "None, 'auto', 'off', or a number of epochs";
    field.reset();
    if (value.is_none()) return;
    if (value.is(nb::handle(Py_False))) {
      field = RefineOptions{.epochs = 0};
    } else if (!is_text(value)) {
      field = RefineOptions{.epochs = count(name, value, remedy)};
    } else if (nb::cast<std::string>(value) == "off") {
      field = RefineOptions{.epochs = 0};
    } else if (nb::cast<std::string>(value) != "auto") {
      wrong_value(name, value, remedy);
    }
  }
  void operator()(const char* name, Balance& field) const {
    const nb::object value = given(name);
    if (!value.is_valid() || value.is_none()) return;
    if (!field.of) field.of = RefineOptions{};
    field.of->balance = number(name, value, "None or a number from 0 to 1");
  }
  void operator()(const char* name, std::optional<TimeOptions>& field) const {
    const nb::object value = given(name);
    if (!value.is_valid()) return;
    const char* remedy = "'auto', 'knee' or a positive number";
    if (value.is_none()) {
      field = TimeOptions{};
    } else if (is_text(value)) {
      const auto word = nb::cast<std::string>(value);
      if (word != "auto" && word != "knee") wrong_value(name, value, remedy);
      field = TimeOptions{};
      if (word == "knee") field->rule = TimeRule::knee;
    } else {
      const double time = number(name, value, remedy);
      if (!(time > 0) || std::isinf(time)) wrong_value(name, value, remedy);
      field.reset();
      options.heat.time = time;
    }
  }
};

}  // namespace

nb::dict default_options() {
  MethodOptions options;
  nb::dict flat;
  each_field(options, Reader{flat, options});
  return flat;
}

nb::dict option_words() {
  MethodOptions options;
  nb::dict words;
  each_field(options, [&](const char* name, const auto&, const auto&... more) {
    if constexpr (sizeof...(more) == 1) words[name] = (more.joined(), ...);
  });
  return words;
}

MethodOptions method_options(const nb::dict& flat) {
  MethodOptions options;
  std::size_t n_taken = 0;
  each_field(options, Writer{flat, options, n_taken});
  if (n_taken != flat.size()) {
    const nb::dict known = default_options();
    for (const auto& [name, value] : flat) {
      if (!known.contains(name)) {
        throw nb::type_error(("unknown option " + shown(name)).c_str());
      }
    }
  }
  return options;
}

nb::dict list_methods() {
  nb::dict all;
  for (const Method& method : methods()) {
    all[nb::str(method.name.data(), method.name.size())] = nb::make_tuple(
        nb::str(method.summary.data(), method.summary.size()), method.distances != nullptr);
  }
  return all;
}

}  // namespace geotherm::python
