#include "geotherm/spelling.hpp"

#include <algorithm>
#include <cctype>

namespace geotherm {
namespace {

/// What other programs call it: names in one row mean the same.
const std::vector<std::vector<std::string>>& meanings() {
  static const std::vector<std::vector<std::string>> rows = {
      {"knn", "k", "nneighbors", "nneighbours", "neighbors", "neighbours", "nnn"},
      {"ncomponents", "dim", "dims", "ndim", "ndims", "ndimensions"},
      {"seed", "randomstate", "randomseed"},
      {"threads", "njobs", "nthreads", "cores", "ncores", "workers"},
      {"time", "t", "diffusiontime"},
      {"pca", "npca", "npcs", "npcacomponents"},
      {"maxiterations", "niter", "maxiter", "nepochs", "iterations", "epochs"},
      {"labelcolumn", "labels", "label", "groupby"},
      {"color", "colour", "colorby", "colourby"},
      {"output", "out", "outfile"},
      {"metric", "distance", "knndist"},
      {"cluster", "clusters", "leiden", "louvain"},
      {"root", "start", "startcell", "rootcell", "iroot"},
      {"plot", "figure", "fig", "picture"},
      {"scale", "standardise", "standardize", "standard", "zscore"},
      {"shortestpath", "isomap"},
      {"embed", "map", "fit", "run", "fittransform"},
      {"transform", "predict", "project", "ingest"},
      {"distances", "dist", "distance", "geodesics"},
      {"view", "plot", "show"},
  };
  return rows;
}

std::string plain(std::string_view word) {
  std::string result;
  for (const char c : word) {
    if (c == '-' || c == '_' || c == ' ') continue;
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

/// Insertions, deletions, exchanges and swaps of neighbours that lead from one to the other.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last.back();
}

}  // namespace

std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string wanted = plain(word);
  if (wanted.empty()) return {};
  for (const std::string& candidate : candidates) {
    if (plain(candidate) == wanted) return candidate;
  }
  for (const auto& row : meanings()) {
    if (std::find(row.begin(), row.end(), wanted) == row.end()) continue;
    for (const std::string& candidate : candidates) {
      if (std::find(row.begin(), row.end(), plain(candidate)) != row.end()) return candidate;
    }
  }
  std::size_t best = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  bool is_start = false;  // of equal ones that which goes on as the word begins
  std::string found;
  for (const std::string& candidate : candidates) {
    const std::string other = plain(candidate);
    const std::size_t longer = std::max(other.size(), wanted.size());
    const std::size_t shorter = std::min(other.size(), wanted.size());
    if (longer - shorter > best) continue;
    const std::size_t distance = edit_distance(wanted, other);
    // A word of which nothing is left is no near miss.
    const bool starts = other.starts_with(wanted);
    const bool is_nearer =
        distance < best || (distance == best && !found.empty() && starts && !is_start);
    if (!is_nearer || distance >= shorter) continue;
    best = distance;
    is_start = starts;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = nearest_name(word, candidates);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

}  // namespace geotherm
