// Columns of texts by number and name.
#include "geotherm/texts.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace geotherm {

Texts::Texts(const std::vector<std::string>& values) {
  TextCollector collector;
  for (const std::string& value : values) collector.add(value);
  *this = collector.take();
}

Texts::Texts(std::vector<Index> codes, std::vector<std::string> names)
    : codes_(std::move(codes)), names_(std::move(names)) {}

Texts Texts::rows(std::span<const Index> which) const {
  std::vector<Index> codes;
  codes.reserve(which.size());
  for (const Index row : which) codes.push_back(codes_[static_cast<std::size_t>(row)]);
  return {std::move(codes), names_};
}

void Texts::replace(std::span<const std::int32_t> is_other, const std::string& text) {
  const auto code = static_cast<Index>(names_.size());
  names_.push_back(text);
  for (std::size_t i = 0; i < is_other.size(); ++i) {
    if (is_other[i] != 0) codes_[i] = code;
  }
}

bool Texts::operator==(const Texts& other) const {
  return size() == other.size() && std::equal(begin(), end(), other.begin());
}

std::size_t TextCollector::slot_of(std::string_view text) const {
  std::size_t slot = std::hash<std::string_view>()(text) & (slots_.size() - 1);
  while (slots_[slot] >= 0 && names_[static_cast<std::size_t>(slots_[slot])] != text) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

void TextCollector::grow() {
  slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), -1);
  for (std::size_t name = 0; name < names_.size(); ++name) {
    slots_[slot_of(names_[name])] = static_cast<Index>(name);
  }
}

void TextCollector::add(std::string_view text) {
  if (2 * (names_.size() + 1) > slots_.size()) grow();
  Index& code = slots_[slot_of(text)];
  if (code < 0) {
    code = static_cast<Index>(names_.size());
    names_.emplace_back(text);
  }
  codes_.push_back(code);
}

Texts TextCollector::take() {
  slots_.clear();
  return {std::exchange(codes_, {}), std::exchange(names_, {})};
}

}  // namespace geotherm
