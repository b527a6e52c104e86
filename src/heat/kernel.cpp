// The public function of the heat kernels: names, checks, the choice of method; and what a kernel
// can do that only knows how to act on a block.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/device.hpp"
#include "geotherm/heat.hpp"
#include "heat/blockwise_kernel.hpp"
#include "heat/methods.hpp"

namespace geotherm {
namespace {

constexpr std::size_t block_width = 256;  // of the default forms below

/// Calls take(first, columns) with K's columns first, first + 1, ... for all of them.
template <class Take>
void for_columns(const DiffusionKernel& kernel, const Context& context, const Take& take) {
  const std::size_t n = kernel.size();
  for (std::size_t first = 0; first < n; first += block_width) {
    const std::size_t width = std::min(block_width, n - first);
    Matrix<double> units(n, width);
    for (std::size_t c = 0; c < width; ++c) units(first + c, c) = 1;
    take(first, kernel.apply(units, context));
  }
}

}  // namespace

namespace detail {

std::string in_words(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

}  // namespace detail

std::string_view to_string(KernelMethod method) {
  switch (method) {
    case KernelMethod::automatic:
      return "auto";
    case KernelMethod::uniformization:
      return "uniformization";
    case KernelMethod::exact:
      return "exact";
    case KernelMethod::chebyshev:
      return "chebyshev";
    case KernelMethod::euler:
      return "euler";
    case KernelMethod::walk_power:
      return "walk-power";
  }
  return "unknown";
}

std::optional<KernelMethod> kernel_method_named(std::string_view name) {
  if (name == "poisson") return KernelMethod::uniformization;  // its earlier name
  for (const auto method :
       {KernelMethod::automatic, KernelMethod::uniformization, KernelMethod::exact,
        KernelMethod::chebyshev, KernelMethod::euler, KernelMethod::walk_power}) {
    if (name == to_string(method)) return method;
  }
  return std::nullopt;
}

std::vector<std::string> issues_with(const HeatKernelOptions& options) {
  using detail::in_words;
  std::vector<std::string> issues;
  if (!(options.time > 0) || !std::isfinite(options.time)) {
    issues.push_back("time is " + in_words(options.time) + ": give a finite number above 0");
  }
  if (!(options.tolerance > 0 && options.tolerance < 1)) {
    issues.push_back("tolerance is " + in_words(options.tolerance) +
                     ": give a number between 0 and 1");
  }
  if (options.order && *options.order < 1) {
    issues.push_back("order is " + std::to_string(*options.order) +
                     ": give 1 or more, or leave it empty");
  }
  if (options.method == KernelMethod::walk_power) {
    issues.push_back(
        "method is walk-power, which is no heat kernel: give automatic, uniformization, "
        "exact, chebyshev or euler, or call walk_power");
  }
  return issues;
}

std::unique_ptr<DiffusionKernel> heat_kernel(const Laplacian& laplacian,
                                             const HeatKernelOptions& options,
                                             const Context& context) {
  refuse_if_any(issues_with(options));
  switch (options.method) {
    case KernelMethod::exact:
      return detail::exact_kernel(laplacian, options);
    case KernelMethod::chebyshev:
      return detail::chebyshev_kernel(laplacian, options);
    case KernelMethod::euler:
      return detail::euler_kernel(laplacian, options);
    default:
      // A GPU makes the dense form in its own way.
      return detail::uniformization_kernel(laplacian, options,
                                           detail::device_of(context) == nullptr);
  }
}

Matrix<double> DiffusionKernel::dense(const Context& context) const {
  auto out = Matrix<double>::uninitialized(size(), size());
  for_columns(*this, context, [&](std::size_t first, const Matrix<double>& columns) {
    for (std::size_t i = 0; i < size(); ++i) {
      std::copy_n(columns.row(i).data(), columns.cols(), &out(i, first));
    }
  });
  if (is_symmetric()) detail::mirror_upper(context, out);
  return out;
}

Matrix<double> DiffusionKernel::rows(std::span<const Index> points, const Context& context) const {
  detail::check_points(points, size());
  auto out = Matrix<double>::uninitialized(points.size(), size());
  if (!is_symmetric()) {
    // Rows cross every column.
    for_columns(*this, context, [&](std::size_t first, const Matrix<double>& columns) {
      for (std::size_t r = 0; r < points.size(); ++r) {
        const auto i = static_cast<std::size_t>(points[r]);
        std::copy_n(columns.row(i).data(), columns.cols(), &out(r, first));
      }
    });
    return out;
  }
  for (std::size_t first = 0; first < points.size(); first += block_width) {
    const std::size_t width = std::min(block_width, points.size() - first);
    Matrix<double> units(size(), width);
    for (std::size_t c = 0; c < width; ++c) {
      units(static_cast<std::size_t>(points[first + c]), c) = 1;
    }
    const Matrix<double> columns = apply(units, context);
    for (std::size_t c = 0; c < width; ++c) {
      for (std::size_t i = 0; i < size(); ++i) out(first + c, i) = columns(i, c);
    }
  }
  return out;
}

std::vector<double> DiffusionKernel::diagonal(const Context& context) const {
  std::vector<double> values(size());
  for_columns(*this, context, [&](std::size_t first, const Matrix<double>& columns) {
    for (std::size_t c = 0; c < columns.cols(); ++c) values[first + c] = columns(first + c, c);
  });
  return values;
}

}  // namespace geotherm
