// Model <-> file: an .npz archive whose arrays docs/model_file.md lists, with a checksum over all.
#include <algorithm>
#include <bit>
#include <charconv>
#include <fstream>
#include <limits>

#include "core/checksum.hpp"
#include "geotherm/io.hpp"
#include "geotherm/model.hpp"

namespace geotherm {
namespace {

// 2 has steps of a row that readers of 1 would leave out (asinh_by, counted, clip, offset). Models
// without them are written as 1, which every reader understands. 3 is for maps that are not of points,
// and for spectral ones that are extended by their kernel.
constexpr std::int64_t format_version = 3;
constexpr const char* format_name = "geotherm model";

// ---------------------------------------------------------------------------------------------
// The checksum: 64 bits over names, shapes and values in the order of the file.

class ArrayChecksum {
 public:
  void add(const NamedArray& array) {
    sum_.add(array.name.data(), array.name.size());
    for (const std::size_t extent : array.shape) sum_.mix(extent);
    std::visit([&](const auto& values) { add_values(values); }, array.values);
  }
  std::int64_t value() const { return std::bit_cast<std::int64_t>(sum_.value()); }

 private:
  template <class T>
  void add_values(const std::vector<T>& values) {
    sum_.add(values.data(), values.size() * sizeof(T));
  }
  void add_values(const std::vector<std::string>& values) {
    for (const std::string& text : values) sum_.add(text.data(), text.size());
  }

  detail::Checksum sum_;
};

// ---------------------------------------------------------------------------------------------
// Writing.

template <class T>
std::vector<T> copied(const Matrix<T>& m) {
  return {m.data(), m.data() + m.size()};
}

std::string text_of(double value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end};
}

class Writer {
 public:
  void number(const std::string& name, std::int64_t value) {
    put({name, {}, std::vector<std::int64_t>{value}});
  }
  void real(const std::string& name, double value) { put({name, {}, std::vector<double>{value}}); }
  void text(const std::string& name, const std::string& value) {
    put({name, {}, std::vector<std::string>{value}});
  }
  template <class T>
  void list(const std::string& name, std::vector<T> values) {
    if (values.empty()) return;
    const std::size_t n = values.size();
    put({name, {n}, std::move(values)});
  }
  template <class T>
  void table(const std::string& name, const Matrix<T>& values) {
    if (values.empty()) return;
    put({name, {values.rows(), values.cols()}, copied(values)});
  }
  void keys(const std::string& name, const std::vector<RowKey>& keys) {
    std::vector<std::int64_t> words;
    words.reserve(2 * keys.size());
    for (const RowKey& key : keys) {
      for (const std::uint64_t word : key) words.push_back(std::bit_cast<std::int64_t>(word));
    }
    put({name, {keys.size(), 2}, std::move(words)});
  }
  void save(const std::string& path) {
    const std::int64_t sum = checksum_.value();
    number("checksum", sum);
    write_npz(path, arrays_);
  }

 private:
  void put(NamedArray array) {
    checksum_.add(array);
    arrays_.push_back(std::move(array));
  }
  std::vector<NamedArray> arrays_;
  ArrayChecksum checksum_;
};

void write_resolved(Writer& writer, const std::map<std::string, Value>& resolved) {
  std::vector<std::string> names, kinds, values;
  for (const auto& [name, value] : resolved) {
    names.push_back(name);
    if (const auto* flag = std::get_if<bool>(&value)) {
      kinds.emplace_back("flag");
      values.emplace_back(*flag ? "1" : "0");
    } else if (const auto* number = std::get_if<double>(&value)) {
      kinds.emplace_back("number");
      values.push_back(text_of(*number));
    } else {
      kinds.emplace_back("text");
      values.push_back(std::get<std::string>(value));
    }
  }
  writer.list("resolved_names", std::move(names));
  writer.list("resolved_kinds", std::move(kinds));
  writer.list("resolved_values", std::move(values));
}

std::vector<std::int64_t> wide(const auto& numbers) { return {numbers.begin(), numbers.end()}; }

void write_neighbors(Writer& writer, const NeighborLists& lists) {
  if (lists.n_points == 0) return;
  writer.number("neighbors_knn", static_cast<std::int64_t>(lists.knn));
  writer.list("neighbors_offsets", wide(lists.offsets));
  writer.list("neighbors_indices", wide(lists.indices));
  writer.list("neighbors_distances", lists.distances);
}

void write_extension(Writer& writer, const SpectralExtension& extension) {
  if (extension.eigenvalues.empty()) return;
  writer.list("eigenvalues", extension.eigenvalues);
  writer.real("self_weight", extension.self_weight);
  writer.number("kernel_knn", static_cast<std::int64_t>(extension.knn));
  writer.text("kernel", std::string(to_string(extension.affinity.kind)));
  writer.real("kernel_decay", extension.affinity.decay);
  writer.real("kernel_threshold", extension.affinity.threshold);
}

void write_labels(Writer& writer, const std::vector<UniqueRowLabels>& labels) {
  std::vector<std::string> columns;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    columns.push_back(labels[k].name);
    writer.list("label_names_" + std::to_string(k), labels[k].names);
    writer.list("label_codes_" + std::to_string(k), wide(labels[k].codes));
  }
  writer.list("label_columns", std::move(columns));
}

// ---------------------------------------------------------------------------------------------
// Reading.

/// A file that begins as no zip archive does. Those too short to tell are left to the reader.
bool is_no_archive(const std::string& path) {
  char first[2] = {};
  std::ifstream file(path, std::ios::binary);
  return file.read(first, 2) && (first[0] != 'P' || first[1] != 'K');
}

class Reader {
 public:
  /// Reads everything once; an array that was taken is gone.
  explicit Reader(const std::string& path) : path_(path) {
    if (is_no_archive(path)) {
      refuse("is not a geotherm model");
    }
    const std::vector<ArrayInfo> listed = list_npz(path);
    const auto lists = [&](const std::string& name) {
      return std::any_of(listed.begin(), listed.end(),
                         [&](const ArrayInfo& info) { return info.name == name; });
    };
    if (!lists("format") || !lists("format_version") ||
        value<std::string>(read_npz_array(path, "format")) != format_name) {
      refuse("is an archive of arrays, but not a geotherm model");
    }
    // Before anything else is read: a newer format may hold what this reader cannot.
    const auto found = value<std::int64_t>(read_npz_array(path, "format_version"));
    if (found > format_version) {
      refuse("is a model of format " + std::to_string(found) + "; this program (geotherm " +
             geotherm::version() + ") reads up to format " + std::to_string(format_version) +
             ": use a newer geotherm");
    }
    if (found < 1) refuse("says that its format is " + std::to_string(found));
    ArrayChecksum sum;
    for (const ArrayInfo& info : listed) {
      NamedArray array = read_npz_array(path, info.name);
      if (info.name != "checksum") sum.add(array);
      arrays_[info.name] = std::move(array);
    }
    const std::int64_t expected = number("checksum");
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION  // a fuzzer cannot guess checksums
    return;
#endif
    if (expected != sum.value()) refuse("is damaged: its checksum does not fit what is in it");
  }

  bool has(const std::string& name) const { return arrays_.contains(name); }
  NamedArray take(const std::string& name) {
    if (!has(name)) refuse("lacks the array '" + name + "'");
    NamedArray array = std::move(arrays_[name]);
    arrays_.erase(name);
    return array;
  }
  std::int64_t number(const std::string& name) { return value<std::int64_t>(take(name)); }
  double real(const std::string& name) { return value<double>(take(name)); }
  std::string text(const std::string& name) { return value<std::string>(take(name)); }
  template <class T>
  std::vector<T> list(const std::string& name) {
    if (!has(name)) return {};
    const NamedArray array = take(name);
    if (array.shape.size() != 1) refuse("array '" + name + "' should be a list");
    return values<T>(array);
  }
  template <class T>
  Matrix<T> table(const std::string& name) {
    return has(name) ? matrix<T>(take(name)) : Matrix<T>();
  }
  template <class T>
  Matrix<T> matrix(const NamedArray& array) const {
    if (array.shape.size() != 2) refuse("array '" + array.name + "' should have two dimensions");
    const std::vector<T>& found = values<T>(array);
    auto m = Matrix<T>::uninitialized(array.shape[0], array.shape[1]);
    std::copy(found.begin(), found.end(), m.data());
    return m;
  }
  [[noreturn]] void refuse(const std::string& what) const { throw IoError(path_ + ": " + what); }

 private:
  template <class T>
  const std::vector<T>& values(const NamedArray& array) const {
    const auto* found = std::get_if<std::vector<T>>(&array.values);
    if (found == nullptr) refuse("array '" + array.name + "' has an unexpected type");
    return *found;
  }
  template <class T>
  T value(const NamedArray& array) const {
    const std::vector<T>& found = values<T>(array);
    if (found.size() != 1) refuse("array '" + array.name + "' should have one value");
    return found[0];
  }

  std::string path_;
  std::map<std::string, NamedArray> arrays_;
};

std::map<std::string, Value> read_resolved(Reader& reader) {
  const auto names = reader.list<std::string>("resolved_names");
  const auto kinds = reader.list<std::string>("resolved_kinds");
  const auto values = reader.list<std::string>("resolved_values");
  if (kinds.size() != names.size() || values.size() != names.size()) {
    reader.refuse("the arrays 'resolved_...' differ in length");
  }
  std::map<std::string, Value> resolved;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (kinds[i] == "flag") {
      resolved[names[i]] = values[i] == "1";
    } else if (kinds[i] == "number") {
      double number = 0;
      std::from_chars(values[i].data(), values[i].data() + values[i].size(), number);
      resolved[names[i]] = number;
    } else {
      resolved[names[i]] = values[i];
    }
  }
  return resolved;
}

std::size_t count(Reader& reader, const std::string& name) {
  const std::int64_t value = reader.number(name);
  if (value < 0) reader.refuse("'" + name + "' is negative");
  return static_cast<std::size_t>(value);
}

std::vector<Index> read_columns(Reader& reader, const std::string& name, std::size_t n_columns) {
  std::vector<Index> columns;
  for (const std::int64_t c : reader.list<std::int64_t>(name)) {
    if (c < 0 || static_cast<std::size_t>(c) >= n_columns) {
      reader.refuse("'" + name + "' names " + std::to_string(c) + " of " +
                    std::to_string(n_columns));
    }
    columns.push_back(static_cast<Index>(c));
  }
  return columns;
}

Preparation read_preparation(Reader& reader) {
  Preparation steps;
  steps.n_columns = count(reader, "n_columns");
  if (reader.has("asinh_by")) steps.asinh_by = reader.real("asinh_by");
  if (reader.has("target_sum")) steps.target_sum = reader.real("target_sum");
  steps.counted = read_columns(reader, "counted", steps.n_columns);
  steps.columns = read_columns(reader, "columns", steps.n_columns);
  steps.shift = reader.list<double>("shift");
  steps.scale = reader.list<double>("scale");
  if (reader.has("clip")) steps.clip = reader.real("clip");
  steps.rotation = reader.table<double>("rotation");
  steps.offset = reader.list<double>("offset");
  return steps;
}

std::vector<Index> read_indices(Reader& reader, const std::string& name) {
  std::vector<Index> indices;
  for (const std::int64_t value : reader.list<std::int64_t>(name)) {
    if (value < -1 || value > std::numeric_limits<Index>::max()) {
      reader.refuse("array '" + name + "' holds " + std::to_string(value));
    }
    indices.push_back(static_cast<Index>(value));
  }
  return indices;
}

NeighborLists read_neighbors(Reader& reader) {
  NeighborLists lists;
  if (!reader.has("neighbors_offsets")) return lists;
  lists.knn = count(reader, "neighbors_knn");
  lists.offsets.clear();
  for (const std::int64_t offset : reader.list<std::int64_t>("neighbors_offsets")) {
    if (offset < 0) reader.refuse("array 'neighbors_offsets' has negative entries");
    lists.offsets.push_back(static_cast<std::size_t>(offset));
  }
  if (lists.offsets.empty()) reader.refuse("array 'neighbors_offsets' is empty");
  lists.n_points = lists.offsets.size() - 1;
  lists.indices = read_indices(reader, "neighbors_indices");
  lists.distances = reader.list<double>("neighbors_distances");
  return lists;
}

SpectralExtension read_extension(Reader& reader) {
  SpectralExtension extension;
  extension.eigenvalues = reader.list<double>("eigenvalues");
  if (extension.eigenvalues.empty()) return extension;
  extension.self_weight = reader.real("self_weight");
  extension.knn = count(reader, "kernel_knn");
  const std::string kernel = reader.text("kernel");
  const auto known = affinity_named(kernel);
  if (!known) reader.refuse("names the kernel '" + kernel + "', which is not known");
  extension.affinity.kind = *known;
  extension.affinity.decay = reader.real("kernel_decay");
  extension.affinity.threshold = reader.real("kernel_threshold");
  return extension;
}

std::vector<UniqueRowLabels> read_labels(Reader& reader) {
  std::vector<UniqueRowLabels> labels;
  for (const std::string& name : reader.list<std::string>("label_columns")) {
    const std::string k = std::to_string(labels.size());
    labels.push_back({name, reader.list<std::string>("label_names_" + k),
                      read_indices(reader, "label_codes_" + k)});
  }
  return labels;
}

}  // namespace

void save_model(const std::string& path, const Model& model) {
  refuse_if_any(issues_with(model));
  Writer writer;
  writer.text("format", format_name);
  const Preparation& steps = model.preparation;
  const bool has_new_steps =
      steps.asinh_by || !steps.counted.empty() || steps.clip || !steps.offset.empty();
  const bool is_extended =
      model.input != ModelInput::points || !model.extension.eigenvalues.empty();
  writer.number("format_version", is_extended ? format_version : has_new_steps ? 2 : 1);
  writer.text("version", model.version);
  writer.text("method", model.method);
  writer.text("metric", std::string(to_string(model.metric)));
  writer.number("n_neighbors", static_cast<std::int64_t>(model.n_neighbors));
  writer.number("is_linear", model.is_linear ? 1 : 0);
  if (model.input != ModelInput::points) writer.text("input", std::string(to_string(model.input)));
  writer.number("n_columns", static_cast<std::int64_t>(steps.n_columns));
  if (steps.asinh_by) writer.real("asinh_by", *steps.asinh_by);
  if (steps.target_sum) writer.real("target_sum", *steps.target_sum);
  writer.list("counted", std::vector<std::int64_t>(steps.counted.begin(), steps.counted.end()));
  writer.list("columns", std::vector<std::int64_t>(steps.columns.begin(), steps.columns.end()));
  writer.list("shift", steps.shift);
  writer.list("scale", steps.scale);
  if (steps.clip) writer.real("clip", *steps.clip);
  writer.table("rotation", steps.rotation);
  writer.list("offset", steps.offset);
  writer.list("column_names", model.column_names);
  writer.list("row_names", model.row_names);
  std::visit([&](const auto& points) { writer.table("points", points); }, model.points);
  writer.keys("keys", model.keys);
  writer.table("coordinates", model.coordinates);
  writer.list("row_places", wide(model.unique_inverse));
  write_neighbors(writer, model.neighbors);
  write_extension(writer, model.extension);
  if (model.refined_unit > 0) writer.real("refined_unit", model.refined_unit);
  write_labels(writer, model.labels);
  write_resolved(writer, model.resolved);
  writer.text("description", model.description);
  writer.save(path);
}

Model load_model(const std::string& path) {
  Reader reader(path);
  Model model;
  model.version = reader.text("version");
  model.method = reader.text("method");
  const std::string metric = reader.text("metric");
  const auto known = metric_named(metric);
  if (!known) reader.refuse("names the metric '" + metric + "', which is not known");
  model.metric = *known;
  model.n_neighbors = count(reader, "n_neighbors");
  model.is_linear = reader.number("is_linear") != 0;
  if (reader.has("input")) {
    const std::string input = reader.text("input");
    const auto known_input = model_input_named(input);
    if (!known_input) reader.refuse("was made from '" + input + "', which is not known");
    model.input = *known_input;
  }
  model.preparation = read_preparation(reader);
  model.column_names = reader.list<std::string>("column_names");
  model.row_names = reader.list<std::string>("row_names");
  if (reader.has("points")) {
    const NamedArray array = reader.take("points");
    if (std::holds_alternative<std::vector<float>>(array.values)) {
      model.points = reader.matrix<float>(array);
    } else {
      model.points = reader.matrix<double>(array);
    }
  }
  const Matrix<std::int64_t> keys = reader.matrix<std::int64_t>(reader.take("keys"));
  if (keys.cols() != 2) reader.refuse("array 'keys' should have two columns");
  for (std::size_t i = 0; i < keys.rows(); ++i) {
    model.keys.push_back(
        {std::bit_cast<std::uint64_t>(keys(i, 0)), std::bit_cast<std::uint64_t>(keys(i, 1))});
  }
  model.coordinates = reader.table<double>("coordinates");
  model.unique_inverse = read_indices(reader, "row_places");
  model.neighbors = read_neighbors(reader);
  model.extension = read_extension(reader);
  model.labels = read_labels(reader);
  model.resolved = read_resolved(reader);
  if (reader.has("refined_unit")) {
    model.refined_unit = reader.real("refined_unit");
  } else if (const auto unit = model.resolved.find("refine_unit"); unit != model.resolved.end()) {
    // Files of earlier versions have it among what the run resolved.
    if (const double* number = std::get_if<double>(&unit->second)) model.refined_unit = *number;
  }
  model.description = reader.text("description");
  const std::vector<std::string> issues = issues_with(model);
  if (!issues.empty()) reader.refuse("its parts do not fit together: " + issues.front());
  return model;
}

}  // namespace geotherm
