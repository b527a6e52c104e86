// Sentences are made from what a run resolved, never from what was asked, so that nothing is said
// that was not done.
#include "geotherm/methods_text.hpp"

#include <algorithm>
#include <cstdio>

#include "geotherm/methods.hpp"
#include "model/references.hpp"

namespace geotherm {
namespace {

using Values = std::map<std::string, Value>;

std::string in_digits(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4g", value);
  return buffer;
}

/// "1,234": counts are whole.
std::string counted(double value) {
  const std::string digits = std::to_string(static_cast<long long>(value));
  std::string result;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) result += ',';
    result += digits[i];
  }
  return result;
}

/// A number as people write it, a text as it stands; empty where there is none.
std::string shown(const Values& values, const std::string& name) {
  const auto found = values.find(name);
  if (found == values.end()) return {};
  if (const auto* text = std::get_if<std::string>(&found->second)) return *text;
  if (const auto* number = std::get_if<double>(&found->second)) return in_digits(*number);
  return {};
}

double number(const Values& values, const std::string& name, double otherwise) {
  const auto found = values.find(name);
  if (found == values.end()) return otherwise;
  const auto* value = std::get_if<double>(&found->second);
  return value == nullptr ? otherwise : *value;
}

class Paragraph {
 public:
  explicit Paragraph(const RunDescription& run)
      : run_(run), method_(method_named(run.method)) {}

  MethodsText made() {
    say_map();
    say_preprocessing();
    say_reduction();
    say_graph();
    say_heat();
    say_layout();
    say_refinement();
    say_stability();
    add("The random seed was " + std::to_string(run_.seed) + ".");
    return std::move(text_);
  }

 private:
  void add(const std::string& sentence) {
    if (!text_.paragraph.empty()) text_.paragraph += ' ';
    text_.paragraph += sentence;
  }
  std::string cite(std::string_view reference) {
    auto& all = text_.references;
    const auto found = std::find(all.begin(), all.end(), reference);
    const auto at = static_cast<std::size_t>(found - all.begin());
    if (found == all.end()) all.emplace_back(reference);
    std::string mark = " [";
    mark += std::to_string(at + 1);
    return mark + "]";
  }

  void say_map() {
    std::string name = run_.method, references;
    if (const Method* known = method_named(run_.method)) {
      name = known->title;
      for (const std::string_view reference : known->citations) references += cite(reference);
    }
    const std::string of =
        run_.n_points > 0 ? " of " + counted(static_cast<double>(run_.n_points)) + " observations"
                          : "";
    const std::string dims = shown(run_.options, "n_components");
    const bool is_map = run_.command != "distances";
    std::string subject = "Distances between points";
    if (is_map) {
      subject = "A ";
      subject += dims.empty() ? "2" : dims;
      subject += "-dimensional map";
      subject += of;
    } else if (!of.empty()) {
      subject += " (";
      subject += of.substr(4);
      subject += ")";
    }
    add(subject + (is_map ? " was" : " were") + " computed by " + name + references +
        " in geotherm " + run_.version + ".");
  }

  void say_preprocessing() {
    const std::string how = shown(run_.reading, "preprocess");
    if (how == "single-cell") {
      const std::string genes = shown(run_.reading, "min_genes");
      const std::string cells = shown(run_.reading, "min_cells");
      std::string sentence = "Cells with fewer than " + genes + " genes";
      const std::string mito = shown(run_.reading, "max_mito");
      if (!mito.empty()) sentence += " or more than " + mito + " % mitochondrial counts";
      sentence += " and genes found in fewer than " + cells + " cells were left out";
      const std::string kept = shown(run_.resolved, "preprocessing");
      add(sentence + (kept.empty() ? "" : " (" + kept + ")") + ".");
      const std::string top = shown(run_.reading, "top_genes");
      add("Counts were scaled to 10,000 per cell and log-transformed; " +
          (top.empty() ? std::string("highly variable genes were chosen by mean and dispersion")
                       : "the " + top + " most variable genes were chosen by dispersion") +
          " and scaled to unit variance, and " + shown(run_.reading, "pcs") +
          " principal components of them were taken, as in scanpy" + cite(detail::wolf) + ".");
    } else if (how == "cytometry") {
      add("Values were transformed by asinh(x / 5).");
    }
    const std::string missing = shown(run_.reading, "missing");
    if (missing == "mean") add("Missing values were replaced by the mean of their column.");
    if (missing == "knn") {
      add("Missing values were replaced by the mean of the 5 nearest rows that have them.");
    }
    const std::string scale = shown(run_.reading, "scale");
    if (scale == "robust") add("Columns were scaled by their median and median deviation.");
    if (scale.starts_with("standardi")) add("Columns were scaled to mean 0 and variance 1.");
  }

  /// The table was cut only where the choice does not say that nothing was.
  void say_reduction() {
    const std::string rank = shown(run_.resolved, "pca_rank");
    const std::string choice = shown(run_.resolved, "pca_choice");
    const bool is_cut = choice.find("nothing") == std::string::npos;
    const bool is_linear = method_ != nullptr && method_->is_linear;
    if (!rank.empty() && !is_linear && is_cut) {
      add("The data were reduced to " + rank + " principal components" +
          (choice.find("as asked") == std::string::npos
               ? ", a rank chosen from the singular values."
               : "."));
    }
    if (number(run_.resolved, "smooth_steps", 0) > 0) {
      add("Points were smoothed over their neighbours in " + shown(run_.resolved, "smooth_steps") +
          " steps.");
    }
  }

  void say_graph() {
    const std::string knn = shown(run_.resolved, "knn");
    if (knn.empty()) {
      if (shown(run_.options, "metric").starts_with("precomputed")) {
        add("Distances or affinities that had been computed before were used.");
      }
      return;
    }
    const std::string metric = shown(run_.options, "metric");
    std::string sentence = "The graph joins each point to its " + knn + " nearest neighbours";
    if (!metric.empty()) {
      sentence += metric.starts_with("precomputed") ? " by the given distances"
                                                    : " (" + metric + " distance)";
    }
    const std::string graph = shown(run_.resolved, "graph");
    if (!graph.empty()) sentence += ", with " + graph + " edge weights";
    const std::string decay = shown(run_.options, "decay");
    if (graph == "alpha-decay" && !decay.empty()) sentence += " (decay " + decay + ")";
    add(sentence + ".");
    const double components = number(run_.resolved, "components", 1);
    if (components > 1) {
      const std::string policy = shown(run_.options, "components");
      add("It had " + counted(components) + " components" +
          (policy.empty() ? "." : " (policy: " + policy + ")."));
    }
    if (run_.resolved.contains("edges_removed")) {
      const double removed = number(run_.resolved, "edges_removed", 0);
      add(removed > 0 ? counted(removed) + " shortcut edges were found and removed."
                      : "No shortcut edges were found.");
    }
  }

  void say_heat() {
    const std::string time = shown(run_.resolved, "time");
    if (time.empty()) return;
    const std::string kernel = shown(run_.resolved, "kernel");
    const std::string laplacian = shown(run_.resolved, "laplacian");
    const bool is_walk = kernel.empty() || kernel == "walk-power";
    std::string sentence =
        is_walk ? "The random walk took t = " + time + " steps" : "Heat diffused for t = " + time;
    if (!is_walk) {
      sentence +=
          " (" + (laplacian.empty() ? "" : laplacian + " Laplacian, ") + kernel + " kernel)";
    }
    const std::string choice = shown(run_.resolved, "time_choice");
    sentence += choice.empty() ? ", as set by hand." : ", chosen automatically (" + choice + ").";
    if (method_ != nullptr && method_->spectral && choice.empty()) {
      sentence = "Coordinates were weighted for t = " + time + " steps of the random walk.";
    }
    add(sentence);
    if (number(run_.options, "denoise", 0) > 0) {
      add("Distances were denoised with rho = " + shown(run_.options, "denoise") + ".");
    }
    const double landmarks = number(run_.resolved, "landmarks", 0);
    if (landmarks > 0) add("Distances were computed by " + counted(landmarks) + " landmarks.");
  }

  void say_layout() {
    if (method_ != nullptr && method_->has(parts::tsne)) {
      add("Perplexity was " + shown(run_.options, "perplexity") + ".");
    } else if (method_ != nullptr && method_->has(parts::umap)) {
      add("The minimal distance was " + shown(run_.options, "min_dist") + ".");
    }
    const std::string mds = shown(run_.resolved, "mds");
    if (mds.empty() || run_.command == "distances") return;
    const char* reference = mds == "smacof" ? detail::de_leeuw
                            : mds == "sgd"  ? detail::zheng
                                            : detail::torgerson;
    std::string sentence = "Distances were laid out by metric scaling (" +
                           (mds == "sgd" ? std::string("stochastic gradient") : mds) +
                           cite(reference) + ")";
    const std::string weights = shown(run_.options, "mds_weights");
    if (!weights.empty() && weights != "none") sentence += ", weighted: " + weights;
    const std::string stress = shown(run_.resolved, "stress");
    add(sentence + (stress.empty() ? "." : ", with a final stress of " + stress + "."));
  }

  void say_refinement() {
    const std::string epochs = shown(run_.resolved, "refine_epochs");
    if (epochs.empty() || epochs == "0" || run_.command == "distances") return;
    add("The map was then refined by the attraction of neighbours (memberships of UMAP) and the "
        "repulsion of points nearby (forces of t-SNE) in " +
        epochs + " epochs.");
  }

  void say_stability() {
    if (run_.stability.empty()) return;
    add("Over " + shown(run_.stability, "n_samples") + " subsamples of " +
        shown(run_.stability, "share") + " of the rows, aligned by Procrustes, points moved by " +
        shown(run_.stability, "median_spread") + " (median; extent of the map " +
        shown(run_.stability, "extent") + ").");
  }

  const RunDescription& run_;
  const Method* method_;  ///< null for names of other versions
  MethodsText text_;
};

}  // namespace

MethodsText methods_text(const RunDescription& run) { return Paragraph(run).made(); }

}  // namespace geotherm
