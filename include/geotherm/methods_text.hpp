// What a run did, in the sentences of a Methods section, from what its manifest says.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "geotherm/methods.hpp"

namespace geotherm {

/// The manifest of a run, in plain values. What is not known is left out, and nothing is said of
/// it.
struct RunDescription {
  std::string command = "embed";  ///< or "distances"
  std::string method = {};
  std::string version = {};
  std::size_t n_points = 0;  ///< 0: not known
  std::uint64_t seed = 0;
  std::map<std::string, Value> options = {};   ///< as asked: metric, n_components, perplexity, ...
  std::map<std::string, Value> reading = {};   ///< of the input: preprocess, scale, missing, ...
  std::map<std::string, Value> resolved = {};  ///< what the run chose and saw (RunReport)
  std::map<std::string, Value> stability = {};
};

struct MethodsText {
  std::string paragraph;                ///< with [1], [2], ... where something is cited
  std::vector<std::string> references;  ///< in that order
};
MethodsText methods_text(const RunDescription&);

}  // namespace geotherm
