// Every branch of the paragraph: what was done is said, what was not done is not.
#include "geotherm/methods_text.hpp"

#include <gtest/gtest.h>

#include "io/test_files.hpp"

namespace geotherm {
namespace {

using testing::has;

std::string text_of(const RunDescription& run) { return methods_text(run).paragraph; }

RunDescription usual() {
  return {.method = "heatgeo",
          .version = "1.2.3",
          .n_points = 2638,
          .seed = 7,
          .options = {{"n_components", 2.0}, {"metric", std::string("euclidean")}, {"decay", 40.0}},
          .resolved = {{"knn", 15.0},
                       {"graph", std::string("alpha-decay")},
                       {"components", 1.0},
                       {"time", 3.25},
                       {"laplacian", std::string("combinatorial")},
                       {"kernel", std::string("uniformization")},
                       {"mds", std::string("smacof")},
                       {"stress", 0.0123}}};
}

TEST(MethodsText, SaysMethodNumbersAndSeed) {
  const MethodsText made = methods_text(usual());
  for (const char* words :
       {"A 2-dimensional map of 2,638 observations was computed by Heat Geodesic Embedding [1]",
        "in geotherm 1.2.3.", "15 nearest neighbours (euclidean distance)", "decay 40", "t = 3.25",
        "uniformization kernel", "final stress of 0.0123", "The random seed was 7."}) {
    EXPECT_TRUE(has(made.paragraph, words)) << words << "\n" << made.paragraph;
  }
  EXPECT_EQ(made.references.size(), 2U);
  EXPECT_FALSE(has(made.paragraph, "component"));  // one component, no PCA
}

TEST(MethodsText, SaysHowTheTimeCameAbout) {
  RunDescription run = usual();
  EXPECT_TRUE(has(text_of(run),
                  "t = 3.25 (combinatorial Laplacian, uniformization kernel), as set by hand."));
  run.resolved["time_choice"] = std::string("knee of the spectrum's entropy");
  EXPECT_TRUE(has(text_of(run), "chosen automatically (knee of the spectrum's entropy)."));
  EXPECT_FALSE(has(text_of(run), "by hand"));
  run.resolved["kernel"] = std::string("walk-power");
  EXPECT_TRUE(has(text_of(run), "The random walk took t = 3.25 steps"));
}

TEST(MethodsText, SaysPcaOnlyWhereSomethingWasCut) {
  RunDescription run = usual();
  run.resolved["pca_rank"] = 50.0;
  run.resolved["pca_choice"] = std::string("nothing cut: the smallest eigenvalues are not noise");
  EXPECT_FALSE(has(text_of(run), "principal components"));
  run.resolved["pca_choice"] =
      std::string("the columns are principal components already: nothing is cut");
  EXPECT_FALSE(has(text_of(run), "principal components"));
  // Smoothing does not hang on it.
  run.resolved["smooth_steps"] = 3.0;
  EXPECT_TRUE(has(text_of(run), "smoothed over their neighbours in 3 steps"));
  run.resolved["pca_choice"] = std::string("rank 50 as asked (covariance matrix)");
  EXPECT_TRUE(has(text_of(run), "reduced to 50 principal components."));
  run.resolved["pca_choice"] = std::string("50 above the optimal threshold");
  EXPECT_TRUE(has(text_of(run), "a rank chosen from the singular values"));
}

TEST(MethodsText, SaysWhatWasDoneToTheTableBefore) {
  RunDescription run = usual();
  EXPECT_FALSE(has(text_of(run), "left out"));
  run.reading = {{"preprocess", std::string("single-cell")},
                 {"min_genes", 200.0},
                 {"min_cells", 3.0},
                 {"pcs", 50.0}};
  run.resolved["preprocessing"] = std::string("2,638 of 2,700 cells");
  std::string text = text_of(run);
  for (const char* words :
       {"fewer than 200 genes", "fewer than 3 cells were left out", "(2,638 of 2,700 cells)",
        "10,000 per cell and log-transformed", "by mean and dispersion",
        "50 principal components of them", "scanpy ["}) {
    EXPECT_TRUE(has(text, words)) << words << "\n" << text;
  }
  EXPECT_FALSE(has(text, "mitochondrial"));
  run.reading["max_mito"] = 5.0;
  run.reading["top_genes"] = 2000.0;
  text = text_of(run);
  EXPECT_TRUE(has(text, "5 % mitochondrial") && has(text, "the 2000 most variable genes"));
  run.reading = {{"preprocess", std::string("cytometry")},
                 {"missing", std::string("knn")},
                 {"scale", std::string("robust")}};
  text = text_of(run);
  EXPECT_TRUE(has(text, "asinh(x / 5)") && has(text, "5 nearest rows") &&
              has(text, "median deviation"));
  run.reading = {{"missing", std::string("mean")}, {"scale", std::string("standardise")}};
  EXPECT_TRUE(has(text_of(run), "mean of their column") && has(text_of(run), "variance 1"));
}

TEST(MethodsText, SaysOfShortcutsAndComponentsWhatWasSeen) {
  RunDescription run = usual();
  EXPECT_FALSE(has(text_of(run), "hortcut edges"));
  run.resolved["edges_removed"] = 0.0;
  EXPECT_TRUE(has(text_of(run), "No shortcut edges were found"));
  run.resolved["edges_removed"] = 1234.0;
  EXPECT_TRUE(has(text_of(run), "1,234 shortcut edges were found and removed"));
  run.resolved["components"] = 3.0;
  run.options["components"] = std::string("bridge");
  EXPECT_TRUE(has(text_of(run), "3 components (policy: bridge)"));
}

TEST(MethodsText, OtherMethodsAndDistancesHaveTheirOwnWords) {
  RunDescription run{.method = "tsne", .version = "1", .options = {{"perplexity", 30.0}}};
  EXPECT_TRUE(has(text_of(run), "t-SNE [1]") && has(text_of(run), "Perplexity was 30."));
  run = {.method = "umap", .version = "1", .options = {{"min_dist", 0.1}}};
  EXPECT_TRUE(has(text_of(run), "minimal distance was 0.1"));
  run = usual();
  run.command = "distances";
  EXPECT_TRUE(text_of(run).starts_with("Distances between points (2,638 observations) were"));
  EXPECT_FALSE(has(text_of(run), "laid out"));
  run.resolved["landmarks"] = 2000.0;
  EXPECT_TRUE(has(text_of(run), "by 2,000 landmarks"));
  run.stability = {{"n_samples", 20.0}, {"share", 0.8}, {"median_spread", 0.5}, {"extent", 10.0}};
  EXPECT_TRUE(has(text_of(run), "Over 20 subsamples of 0.8"));
}

}  // namespace
}  // namespace geotherm
