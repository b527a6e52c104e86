// How a row of the option table reads and writes its field of MethodOptions.
#pragma once

#include <concepts>
#include <optional>
#include <type_traits>

#include "geotherm/options.hpp"

namespace geotherm::detail {

struct Access {
  OptionValue (*get)(const MethodOptions&);
  void (*set)(MethodOptions&, const OptionValue&);
};

inline double real_of(const OptionValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::get<double>(value);
}

template <class T>
struct FieldType {
  static OptionValue get(const T& field) {
    if constexpr (std::is_enum_v<T>) {
      return std::string(to_string(field));
    } else if constexpr (std::same_as<T, bool>) {
      return std::string(field ? "on" : "off");
    } else if constexpr (std::integral<T>) {
      return static_cast<std::int64_t>(field);
    } else {
      return field;
    }
  }
  static void set(T& field, const OptionValue& value) {
    if constexpr (std::is_enum_v<T>) {
      const auto& word = std::get<std::string>(value);
      for (int i = 0; i < 64; ++i) {
        if (to_string(static_cast<T>(i)) != word) continue;
        field = static_cast<T>(i);
        return;
      }
    } else if constexpr (std::same_as<T, bool>) {
      field = std::get<std::string>(value) == "on";
    } else if constexpr (std::integral<T>) {
      field = static_cast<T>(std::get<std::int64_t>(value));
    } else {
      field = real_of(value);
    }
  }
};
template <class T>
struct FieldType<std::optional<T>> {
  static OptionValue get(const std::optional<T>& field) {
    return field ? FieldType<T>::get(*field) : OptionValue{};
  }
  static void set(std::optional<T>& field, const OptionValue& value) {
    FieldType<T>::set(field.emplace(), value);
  }
};

/// A field of MethodOptions, told by a function from options to a reference; an empty value is the
/// default's.
template <class Field>
Access field(Field) {
  return {[](const MethodOptions& options) {
            const auto& from = Field{}(options);
            return FieldType<std::remove_cvref_t<decltype(from)>>::get(from);
          },
          [](MethodOptions& options, const OptionValue& value) {
            auto& to = Field{}(options);
            if (std::holds_alternative<std::monostate>(value)) {
              const MethodOptions defaults;
              to = Field{}(defaults);
            } else {
              FieldType<std::remove_cvref_t<decltype(to)>>::set(to, value);
            }
          }};
}

/// The same for a field of the landmarks, which do not count where there are none.
template <class Field>
Access landmark_field(Field) {
  return {[](const MethodOptions& options) {
            const LandmarkOptions landmarks = options.landmarks.value_or(LandmarkOptions{});
            const auto& from = Field{}(landmarks);
            return FieldType<std::remove_cvref_t<decltype(from)>>::get(from);
          },
          [](MethodOptions& options, const OptionValue& value) {
            if (!options.landmarks) return;
            auto& to = Field{}(*options.landmarks);
            if (std::holds_alternative<std::monostate>(value)) {
              const LandmarkOptions defaults;
              to = Field{}(defaults);
            } else {
              FieldType<std::remove_cvref_t<decltype(to)>>::set(to, value);
            }
          }};
}

/// The words of an enum, from its first to `last`.
template <class Enum>
std::vector<std::string_view> words_up_to(Enum last) {
  std::vector<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    words.push_back(to_string(static_cast<Enum>(i)));
  }
  return words;
}

/// The table (option_table.cpp); without the checks of make_options.
std::vector<Option> option_table();

}  // namespace geotherm::detail
