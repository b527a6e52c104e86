// A name that was not found -> the one that was probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace geotherm {

/// The candidate that is most like `word`, or has the same meaning in other programs
/// (n_neighbors: knn); empty where none is near. Case, '-' and '_' do not count; of equal ones the
/// first. Edit distance with transpositions, at most a third of the word's letters.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean 'knn'?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace geotherm
