// Options whose field is more than a number or a word: "auto", "none" or a number, and the like.
#include "methods/option_rows.hpp"

namespace geotherm::detail {
namespace {

std::string word_in(const OptionValue& value) {
  const auto* word = std::get_if<std::string>(&value);
  return word == nullptr ? std::string() : *word;
}

}  // namespace

Access pca_access() {
  return {[](const MethodOptions& o) -> OptionValue {
            if (!o.pca) return {};
            if (!o.pca->rank) return "auto";
            if (*o.pca->rank == 0) return "none";
            return static_cast<std::int64_t>(*o.pca->rank);
          },
          [](MethodOptions& o, const OptionValue& value) {
            o.pca.reset();
            if (std::holds_alternative<std::monostate>(value)) return;
            o.pca = PcaOptions{};
            if (word_in(value) == "auto") return;
            const auto* rank = std::get_if<std::int64_t>(&value);
            o.pca->rank = rank == nullptr ? 0 : static_cast<std::size_t>(*rank);
          }};
}

Access smooth_access() {
  return {[](const MethodOptions& o) -> OptionValue {
            if (!o.smooth) return "off";
            if (!o.smooth->steps) return "auto";
            return static_cast<std::int64_t>(*o.smooth->steps);
          },
          [](MethodOptions& o, const OptionValue& value) {
            o.smooth.reset();
            if (std::holds_alternative<std::monostate>(value) || word_in(value) == "off") return;
            o.smooth = SmoothOptions{};
            if (const auto* steps = std::get_if<std::int64_t>(&value)) {
              o.smooth->steps = static_cast<std::size_t>(*steps);
            }
          }};
}

Access refine_access() {
  return {[](const MethodOptions& o) -> OptionValue {
            if (!o.refine) return {};
            if (!o.refine->epochs) return "auto";
            if (*o.refine->epochs == 0) return "off";
            return static_cast<std::int64_t>(*o.refine->epochs);
          },
          [](MethodOptions& o, const OptionValue& value) {
            if (std::holds_alternative<std::monostate>(value) || word_in(value) == "auto") {
              if (o.refine) o.refine->epochs.reset();
              return;
            }
            if (!o.refine) o.refine = RefineOptions{};
            const auto* epochs = std::get_if<std::int64_t>(&value);
            o.refine->epochs = epochs != nullptr ? static_cast<std::size_t>(*epochs) : 0;
          }};
}

Access balance_access() {
  return {[](const MethodOptions& o) -> OptionValue {
            if (!o.refine) return {};
            return o.refine->balance;
          },
          [](MethodOptions& o, const OptionValue& value) {
            if (std::holds_alternative<std::monostate>(value)) return;
            if (!o.refine) o.refine = RefineOptions{};
            o.refine->balance = real_of(value);
          }};
}

Access units_access() {
  return {[](const MethodOptions& o) -> OptionValue { return o.has_data_units ? "data" : "heat"; },
          [](MethodOptions& o, const OptionValue& value) {
            o.has_data_units = word_in(value) != "heat";
          }};
}

Access shortcuts_access() {
  return {[](const MethodOptions& o) -> OptionValue {
            if (!o.shortcuts) return {};
            if (o.shortcuts->share == 0) return "off";
            if (o.shortcuts->share == ShortcutOptions{}.share) return "auto";
            return o.shortcuts->share;
          },
          [](MethodOptions& o, const OptionValue& value) {
            o.shortcuts.reset();
            if (std::holds_alternative<std::monostate>(value)) return;
            o.shortcuts = ShortcutOptions{};
            if (word_in(value) == "auto") return;
            o.shortcuts->share = word_in(value) == "off" ? 0 : real_of(value);
          }};
}

Access time_access() {
  return {[](const MethodOptions& o) -> OptionValue {
            if (!o.time_choice) return o.heat.time;
            return o.time_choice->rule == TimeRule::knee ? "knee" : "auto";
          },
          [](MethodOptions& o, const OptionValue& value) {
            const MethodOptions defaults;
            o.time_choice = defaults.time_choice;
            if (std::holds_alternative<std::monostate>(value)) return;
            if (const std::string word = word_in(value); !word.empty()) {
              o.time_choice = TimeOptions{};
              if (word == "knee") o.time_choice->rule = TimeRule::knee;
              return;
            }
            o.time_choice.reset();
            o.heat.time = real_of(value);
          }};
}

Access metric_access() {
  // "precomputed" says what the input is, and leaves the metric alone.
  return {[](const MethodOptions& o) -> OptionValue {
            return std::string(to_string(o.neighbors.metric));
          },
          [](MethodOptions& o, const OptionValue& value) {
            if (const auto metric = metric_named(word_in(value))) o.neighbors.metric = *metric;
          }};
}

Access landmarks_access() {
  return {[](const MethodOptions& o) -> OptionValue {
            if (!o.landmarks) return "none";
            if (!o.landmarks->count) return "auto";
            return static_cast<std::int64_t>(*o.landmarks->count);
          },
          [](MethodOptions& o, const OptionValue& value) {
            if (word_in(value) == "none") {
              o.landmarks.reset();
              return;
            }
            if (!o.landmarks) o.landmarks = LandmarkOptions{};
            o.landmarks->count.reset();
            if (const auto* count = std::get_if<std::int64_t>(&value)) {
              o.landmarks->count = static_cast<std::size_t>(*count);
            }
          }};
}

Access pivot_heat_access() {
  return {[](const MethodOptions& o) -> OptionValue {
            if (!o.landmarks || !o.landmarks->has_full_pivots) return {};
            return *o.landmarks->has_full_pivots ? "points" : "landmarks";
          },
          [](MethodOptions& o, const OptionValue& value) {
            if (!o.landmarks) return;
            o.landmarks->has_full_pivots.reset();
            if (const std::string word = word_in(value); !word.empty()) {
              o.landmarks->has_full_pivots = word == "points";
            }
          }};
}

Access start_access() {
  return {[](const MethodOptions& o) -> OptionValue {
            if (o.start.kind == StartKind::pca) return "pca";
            if (o.start.kind == StartKind::spectral) return "spectral";
            return {};
          },
          [](MethodOptions& o, const OptionValue& value) {
            const std::string word = word_in(value);
            o.start.kind = word == "pca"        ? StartKind::pca
                           : word == "spectral" ? StartKind::spectral
                                                : StartKind::own;
          }};
}

}  // namespace geotherm::detail
