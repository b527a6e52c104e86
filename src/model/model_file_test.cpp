// The model file: what goes in comes out, and what is damaged is refused with a reason.
#include <functional>

#include "geotherm/model.hpp"
#include "io/test_files.hpp"

namespace geotherm {
namespace {

using testing::has;
using testing::io_error;

class ModelFile : public testing::FolderTest {
 protected:
  static Model small_model(const char* method = "heatgeo", bool with_pca = true) {
    const Dataset roll =
        synthesize(Shape::swiss_roll, {.n = 12, .noise = 0.1, .dim = 4}, {.seed = 1});
    MethodOptions options;
    options.neighbors.knn = 4;
    if (with_pca) options.pca = PcaOptions{.rank = 2};
    const Input input(roll.X.view());
    Model model =
        make_model(method, input, options, method_named(method)->embed(input, options, {}));
    for (std::size_t c = 0; c < model.preparation.n_columns; ++c) {
      model.column_names.push_back("column " + std::to_string(c));
    }
    model.description = "made by a test";
    return model;
  }

  /// The arrays of a saved model, changed by `change`, in a file whose archive is in order.
  std::string changed(const std::function<void(std::vector<NamedArray>&)>& change) const {
    save_model(path("whole.gtm"), small_model());
    std::vector<NamedArray> arrays;
    for (const ArrayInfo& info : list_npz(path("whole.gtm"))) {
      arrays.push_back(read_npz_array(path("whole.gtm"), info.name));
    }
    change(arrays);
    write_npz(path("changed.gtm"), arrays);
    return path("changed.gtm");
  }
  static NamedArray& named(std::vector<NamedArray>& arrays, const std::string& name) {
    return *std::find_if(arrays.begin(), arrays.end(),
                         [&](const NamedArray& array) { return array.name == name; });
  }
};

template <class T>
void expect_same(const Matrix<T>& a, const Matrix<T>& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  EXPECT_TRUE(std::equal(a.data(), a.data() + a.size(), b.data()));
}

void expect_same(const Model& a, const Model& b) {
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.metric, b.metric);
  EXPECT_EQ(a.n_neighbors, b.n_neighbors);
  EXPECT_EQ(a.is_linear, b.is_linear);
  EXPECT_EQ(a.preparation.n_columns, b.preparation.n_columns);
  EXPECT_EQ(a.preparation.target_sum, b.preparation.target_sum);
  EXPECT_EQ(a.preparation.columns, b.preparation.columns);
  EXPECT_EQ(a.preparation.shift, b.preparation.shift);
  EXPECT_EQ(a.preparation.scale, b.preparation.scale);
  expect_same(a.preparation.rotation, b.preparation.rotation);
  ASSERT_EQ(a.points.index(), b.points.index());
  std::visit(
      [&](const auto& points) {
        expect_same(points, std::get<std::decay_t<decltype(points)>>(b.points));
      },
      a.points);
  EXPECT_EQ(a.keys, b.keys);
  expect_same(a.coordinates, b.coordinates);
  EXPECT_EQ(a.refined_unit, b.refined_unit);
  EXPECT_EQ(a.resolved, b.resolved);
  EXPECT_EQ(a.column_names, b.column_names);
  EXPECT_EQ(a.description, b.description);
}

TEST_F(ModelFile, GivesBackWhatWasSaved) {
  for (const char* method : {"heatgeo", "pca"}) {
    for (const bool with_pca : {false, true}) {
      const Model model = small_model(method, with_pca);
      save_model(path("a.gtm"), model);
      const Model loaded = load_model(path("a.gtm"));
      expect_same(model, loaded);
      save_model(path("b.gtm"), loaded);
      EXPECT_EQ(content("a.gtm"), content("b.gtm"));
    }
  }
}

TEST_F(ModelFile, OfARefinedMapKeepsItsUnitAndEarlierFilesHaveItInTheReport) {
  Model model = small_model();
  model.refined_unit = 2.5;
  save_model(path("unit.gtm"), model);
  EXPECT_EQ(load_model(path("unit.gtm")).refined_unit, 2.5);
  model.refined_unit = 0;  // not written
  model.resolved["refine_unit"] = 1.25;
  save_model(path("unit.gtm"), model);
  EXPECT_EQ(load_model(path("unit.gtm")).refined_unit, 1.25);
  model.refined_unit = -1;
  EXPECT_FALSE(issues_with(model).empty());
}

TEST_F(ModelFile, KeepsEveryStepOfThePreparationAndFloat32) {
  Model model = small_model("heatgeo", false);
  Matrix<float> single(model.n_unique(), 4, 0.5F);
  model.points = single;
  save_model(path("a.gtm"), model);
  expect_same(model, load_model(path("a.gtm")));
  model.preparation.target_sum = 1e4;
  model.preparation.columns = {0, 2};
  model.preparation.shift = {1, 2};
  model.preparation.scale = {3, 4};
  model.points = Matrix<double>(model.n_unique(), 2, 0.25);
  save_model(path("a.gtm"), model);
  expect_same(model, load_model(path("a.gtm")));
}

TEST_F(ModelFile, IsRefusedOrUnchangedWhicheverByteIsFlipped) {
  const Model model = small_model();
  save_model(path("whole.gtm"), model);
  const std::string whole = content("whole.gtm");
  std::size_t n_refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
    const std::string file = made("flipped.gtm", bytes);
    try {
      expect_same(load_model(file), model);
    } catch (const IoError& error) {
      ASSERT_TRUE(has(error.what(), file));
      ++n_refused;
    }
    ASSERT_FALSE(HasFailure()) << "byte " << at;
  }
  // What a zip archive says twice or does not need (dates, versions) may change unnoticed.
  EXPECT_GT(n_refused, whole.size() * 7 / 10);
}

TEST_F(ModelFile, IsRefusedWhereverItIsCutShort) {
  save_model(path("whole.gtm"), small_model());
  const std::string whole = content("whole.gtm");
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 97) {
    const std::string file = made("cut.gtm", whole.substr(0, size));
    EXPECT_TRUE(has(io_error([&] { load_model(file); }), file)) << size;
  }
}

TEST_F(ModelFile, OfANewerFormatIsRefusedWithTheRemedy) {
  const std::string file = changed([](std::vector<NamedArray>& arrays) {
    named(arrays, "format_version").values = std::vector<std::int64_t>{4};
  });
  const std::string message = io_error([&] { load_model(file); });
  EXPECT_TRUE(has(message, "format 4"));
  EXPECT_TRUE(has(message, "newer geotherm"));
}

TEST_F(ModelFile, WhoseNumbersWereAlteredIsRefused) {
  const std::string file = changed([](std::vector<NamedArray>& arrays) {
    std::get<std::vector<double>>(named(arrays, "coordinates").values)[3] += 1e-9;
  });
  EXPECT_TRUE(has(io_error([&] { load_model(file); }), "checksum"));
  const std::string shorter =
      changed([](std::vector<NamedArray>& arrays) { arrays.erase(arrays.begin() + 4); });
  EXPECT_TRUE(has(io_error([&] { load_model(shorter); }), "changed.gtm"));
}

TEST_F(ModelFile, ThatIsNoModelIsRefused) {
  write_npz(path("table.npz"), {{"X", {2, 2}, std::vector<double>{1, 2, 3, 4}}});
  EXPECT_TRUE(has(io_error([&] { load_model(path("table.npz")); }), "not a geotherm model"));
  EXPECT_TRUE(has(io_error([&] { load_model(made("a.csv", "x,y\n1,2\n")); }), "a.csv"));
  EXPECT_TRUE(has(io_error([&] { load_model(path("absent.gtm")); }), "no such file"));
}

}  // namespace
}  // namespace geotherm
