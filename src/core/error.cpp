// Errors that carry every complaint at once, and the words for outcomes.
#include "geotherm/core.hpp"

namespace geotherm {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::converged:
      return "converged";
    case Outcome::iteration_limit:
      return "iteration_limit";
    case Outcome::stopped:
      return "stopped";
  }
  return "unknown";
}

void refuse_if_any(const std::vector<std::string>& complaints) {
  if (complaints.empty()) return;
  std::string message;
  for (const std::string& complaint : complaints) {
    if (!message.empty()) message += '\n';
    message += complaint;
  }
  throw InvalidArgument(message);
}

}  // namespace geotherm
