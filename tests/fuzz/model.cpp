// Model files. What is loaded must be whole: it is written again, read back, and places a row.
#include "geotherm/model.hpp"

#include "harness.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace geotherm;
  using namespace geotherm::fuzz;
  const std::string path = scratch().file("a.gtm", text_of(data, size));
  read_or_refuse(path, [&] {
    const Model model = load_model(path);
    require(issues_with(model).empty(), "a model that is loaded has no issues");
    const std::string again = scratch().folder() + "/again.gtm";
    save_model(again, model);
    const Model second = load_model(again);
    require(second.n_unique() == model.n_unique() && second.method == model.method &&
                second.resolved == model.resolved,
            "a model that is saved is read back");
    if (model.preparation.n_columns > 1000) return;
    const Matrix<double> row(1, model.preparation.n_columns);
    try {
      const Matrix<double> placed = place(model, row);
      require(placed.rows() == 1, "a row has one place");
    } catch (const InvalidArgument&) {
      // A row of zeros has no direction, and counts no sum: such rows may be refused.
    }
  });
  return 0;
}
