// BiCGSTAB for a few right-hand sides together: what a step costs is reading the matrix, so columns
// share it. They are stacked into one vector, entry by entry, and the matrix acts on each alike.
#include "trajectory/fate_system.hpp"

#include <Eigen/IterativeLinearSolvers>
#include <algorithm>
#include <array>
#include <cmath>

namespace geotherm::detail {

/// `width` right-hand sides side by side: entry r * width + c is row r of column c.
template <int width>
class StackedSystem;

}  // namespace geotherm::detail

namespace Eigen::internal {
template <int width>
struct traits<geotherm::detail::StackedSystem<width>> : traits<geotherm::detail::FateSystem> {};
}  // namespace Eigen::internal

namespace geotherm::detail {

using Stack = Eigen::VectorXd;

template <int width>
class StackedSystem : public Eigen::EigenBase<StackedSystem<width>> {
 public:
  using Scalar = double;
  using RealScalar = double;
  using StorageIndex = FateSystem::StorageIndex;
  enum {
    ColsAtCompileTime = Eigen::Dynamic,
    MaxColsAtCompileTime = Eigen::Dynamic,
    IsRowMajor = true
  };

  explicit StackedSystem(const FateSystem& system) : system_(&system) {}
  Eigen::Index rows() const { return system_->rows() * width; }
  Eigen::Index cols() const { return rows(); }
  template <class Other>
  Eigen::Product<StackedSystem, Other, Eigen::AliasFreeProduct> operator*(
      const Eigen::MatrixBase<Other>& x) const {
    return {*this, x.derived()};
  }

  /// out += factor * (system * x).
  void add_product(const Stack& x, double factor, Stack& out) const {
    for (Eigen::Index r = 0; r < system_->rows(); ++r) {
      std::array<double, width> sum{};
      for (auto e = begin(r); e < begin(r + 1); ++e) add(x, e, sum);
      for (int c = 0; c < width; ++c) out[r * width + c] += factor * sum[at(c)];
    }
  }

  /// One Gauss-Seidel sweep from the last cells to the first. Nearly all weight goes to later
  /// cells, so it nearly solves the system.
  Stack sweep(const Stack& b) const {
    Stack x(b.size());
    for (Eigen::Index r = 0; r < system_->rows(); ++r) {
      std::array<double, width> sum{};
      for (auto e = begin(r); system_->innerIndexPtr()[e] < r; ++e) add(x, e, sum);
      for (int c = 0; c < width; ++c) x[r * width + c] = b[r * width + c] - sum[at(c)];
    }
    return x;
  }

 private:
  static std::size_t at(int c) { return static_cast<std::size_t>(c); }
  StorageIndex begin(Eigen::Index r) const { return system_->outerIndexPtr()[r]; }
  void add(const Stack& x, StorageIndex e, std::array<double, width>& sum) const {
    const double value = system_->valuePtr()[e];
    const double* const from =
        x.data() + static_cast<std::ptrdiff_t>(system_->innerIndexPtr()[e]) * width;
    for (int c = 0; c < width; ++c) sum[at(c)] += value * from[c];
  }

  const FateSystem* system_;
};

}  // namespace geotherm::detail

namespace Eigen::internal {
template <int width, class Other>
struct generic_product_impl<geotherm::detail::StackedSystem<width>, Other, SparseShape, DenseShape,
                            GemvProduct>
    : generic_product_impl_base<
          geotherm::detail::StackedSystem<width>, Other,
          generic_product_impl<geotherm::detail::StackedSystem<width>, Other>> {
  template <class Out>
  static void scaleAndAddTo(Out& out, const geotherm::detail::StackedSystem<width>& system,
                            const Other& x, const double& factor) {
    system.add_product(x, factor, out);
  }
};
}  // namespace Eigen::internal

namespace geotherm::detail {
namespace {

constexpr double precision = 1e-9;
constexpr int most_iterations = 1000;

template <int width>
class OneSweep {
 public:
  using StorageIndex = FateSystem::StorageIndex;
  enum { ColsAtCompileTime = Eigen::Dynamic, MaxColsAtCompileTime = Eigen::Dynamic };
  template <class System>
  OneSweep& analyzePattern(const System&) {
    return *this;
  }
  template <class System>
  OneSweep& factorize(const System& system) {
    return compute(system);
  }
  template <class System>
  OneSweep& compute(const System& system) {
    system_ = &system;
    return *this;
  }
  Stack solve(const Stack& b) const { return system_->sweep(b); }
  Eigen::ComputationInfo info() const { return Eigen::Success; }

 private:
  const StackedSystem<width>* system_ = nullptr;
};

/// Columns first to first + width of `known`, where there are as many.
template <int width>
bool solve_together(const FateSystem& system, const Matrix<double>& known, std::size_t first,
                    Matrix<double>& shares) {
  const std::size_t count = std::min<std::size_t>(width, known.cols() - first);
  std::array<double, width> size{};
  for (std::size_t r = 0; r < known.rows(); ++r) {
    for (std::size_t c = 0; c < count; ++c) size[c] += known(r, first + c) * known(r, first + c);
  }
  for (double& s : size) s = std::sqrt(s);
  // Of one size, so that the residual of each is small against its own.
  Stack wanted = Stack::Zero(static_cast<Eigen::Index>(known.rows()) * width);
  const auto at = [](std::size_t r, std::size_t c) {
    return static_cast<Eigen::Index>(r * width + c);
  };
  for (std::size_t r = 0; r < known.rows(); ++r) {
    for (std::size_t c = 0; c < count; ++c) {
      if (size[c] > 0) wanted[at(r, c)] = known(r, first + c) / size[c];
    }
  }
  const StackedSystem<width> stacked(system);
  Eigen::BiCGSTAB<StackedSystem<width>, OneSweep<width>> solver;
  solver.setTolerance(precision / std::sqrt(static_cast<double>(width)));
  solver.setMaxIterations(most_iterations);
  solver.compute(stacked);
  const Stack found = solver.solve(wanted);
  for (std::size_t r = 0; r < known.rows(); ++r) {
    for (std::size_t c = 0; c < count; ++c) shares(r, first + c) = found[at(r, c)] * size[c];
  }
  return solver.info() == Eigen::Success;
}

/// Cells that hardly leave where they are: slower and stronger.
bool solve_by_factors(const FateSystem& system, const Matrix<double>& known, std::size_t column,
                      Matrix<double>& shares) {
  Stack wanted(static_cast<Eigen::Index>(known.rows()));
  for (std::size_t r = 0; r < known.rows(); ++r) {
    wanted[static_cast<Eigen::Index>(r)] = known(r, column);
  }
  Eigen::BiCGSTAB<FateSystem, Eigen::IncompleteLUT<double>> solver;
  solver.setTolerance(precision);
  solver.setMaxIterations(most_iterations);
  solver.compute(system);
  const Stack found = solver.solve(wanted);
  for (std::size_t r = 0; r < known.rows(); ++r) {
    shares(r, column) = found[static_cast<Eigen::Index>(r)];
  }
  return solver.info() == Eigen::Success;
}

template <int width>
bool solve_all(const FateSystem& system, const Matrix<double>& known, Matrix<double>& shares,
               const Context& context) {
  const std::size_t n_stacks = (known.cols() + width - 1) / width;
  std::vector<char> is_settled(n_stacks, 0);
  parallel_for(context, n_stacks, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const std::size_t first = s * width, last = std::min(first + width, known.cols());
      is_settled[s] = solve_together<width>(system, known, first, shares) ? 1 : 0;
      if (is_settled[s] != 0) continue;
      is_settled[s] = 1;
      for (std::size_t c = first; c < last; ++c) {
        if (!solve_by_factors(system, known, c, shares)) is_settled[s] = 0;
      }
    }
  });
  return std::ranges::find(is_settled, 0) == is_settled.end();
}

}  // namespace

FateSolution solve_fates(const FateSystem& system, const Matrix<double>& known,
                         const Context& context) {
  FateSolution result{.shares = Matrix<double>(known.rows(), known.cols())};
  // Half of the columns, so that a second thread has something to do; widths do not depend on
  // threads.
  switch (std::min<std::size_t>((known.cols() + 1) / 2, 4)) {
    case 4:
      result.is_settled = solve_all<4>(system, known, result.shares, context);
      break;
    case 3:
      result.is_settled = solve_all<3>(system, known, result.shares, context);
      break;
    case 2:
      result.is_settled = solve_all<2>(system, known, result.shares, context);
      break;
    default:
      result.is_settled = solve_all<1>(system, known, result.shares, context);
  }
  return result;
}

}  // namespace geotherm::detail
