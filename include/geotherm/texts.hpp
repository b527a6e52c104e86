// A column of texts: each distinct one once, and a number per row.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm {

/// Reads like a vector of strings; takes memory for the distinct ones and 4 bytes per row.
class Texts {
 public:
  Texts() = default;
  Texts(const std::vector<std::string>& values);  // NOLINT(google-explicit-constructor)
  Texts(std::initializer_list<std::string> values) : Texts(std::vector<std::string>(values)) {}
  /// Row i is names[codes[i]]. Codes have to be below the number of names; names may repeat.
  Texts(std::vector<Index> codes, std::vector<std::string> names);

  std::size_t size() const { return codes_.size(); }
  bool empty() const { return codes_.empty(); }
  const std::string& operator[](std::size_t i) const {
    return names_[static_cast<std::size_t>(codes_[i])];
  }
  /// Every text that a row has, and perhaps others, in no promised order.
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<Index>& codes() const { return codes_; }

  /// These rows, in this order.
  Texts rows(std::span<const Index> which) const;
  /// The rows where `is_other` is not 0 become `text`.
  void replace(std::span<const std::int32_t> is_other, const std::string& text);
  std::vector<std::string> to_vector() const { return {begin(), end()}; }

  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::string;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::string*;
    using reference = const std::string&;

    Iterator() = default;
    Iterator(const Texts& texts, std::size_t i) : texts_(&texts), i_(i) {}
    reference operator*() const { return (*texts_)[i_]; }
    pointer operator->() const { return &(*texts_)[i_]; }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++i_;
      return before;
    }
    bool operator==(const Iterator& other) const { return i_ == other.i_; }

   private:
    const Texts* texts_ = nullptr;
    std::size_t i_ = 0;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
  /// The same text in every row.
  bool operator==(const Texts& other) const;

 private:
  std::vector<Index> codes_;
  std::vector<std::string> names_;
};

/// Texts one after the other: each is kept once.
class TextCollector {
 public:
  void add(std::string_view text);
  Texts take();

 private:
  std::size_t slot_of(std::string_view text) const;
  void grow();

  std::vector<Index> codes_;
  std::vector<std::string> names_;
  std::vector<Index> slots_;  ///< open addressing by hash: a name's number, or -1
};

}  // namespace geotherm
