// geotherm-reproduce, which `geotherm reproduce` runs: measures the paper's tables and figures again
// and sets both side by side.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "command.hpp"
#include "engine.hpp"
#include "exit_code.hpp"
#include "report.hpp"
#include "help.hpp"
#include "reproduce_options.hpp"
#include "run_context.hpp"

namespace geotherm::cli {
namespace {

std::string known_names() {
  std::string names;
  for (const Experiment& experiment : experiments()) names += std::string(experiment.name) + ", ";
  return names + "all";
}

bool is_asked_for(const ReproduceCommand& command, const Experiment& experiment) {
  return std::any_of(command.names.begin(), command.names.end(), [&](const std::string& name) {
    return name == "all" || name == experiment.name;
  });
}

void require_known(const ReproduceCommand& command) {
  for (const std::string& name : command.names) {
    const auto all = experiments();
    const bool is_known = name == "all" || std::any_of(all.begin(), all.end(), [&](const auto& e) {
                            return e.name == name;
                          });
    if (!is_known) {
      throw InvalidArgument(
          fmt::format("there is no experiment '{}': known are {}", name, known_names()));
    }
  }
}

ReproduceSettings settings_from(const ReproduceCommand& command) {
  ReproduceSettings settings;
  settings.quick = command.quick;
  settings.shrink = command.shrink;
  if (!command.data.empty()) {
    settings.data = command.data;
  } else if (const char* data = std::getenv("GEOTHERM_DATA")) {
    settings.data = data;
  }
  if (!settings.data.empty() && !std::filesystem::is_directory(settings.data)) {
    throw InvalidArgument(
        fmt::format("the data folder '{}' does not exist: see --data", settings.data.string()));
  }
  if (command.quick) {
    settings.validation_seeds = {42};
    settings.report_seeds = {47};
  } else {
    settings.validation_seeds = {42, 43, 44, 45, 46};
    settings.report_seeds = {47, 48, 49, 50, 51};
  }
  return settings;
}

std::string seeds_in_words(const std::vector<std::uint64_t>& seeds) {
  return seeds.size() == 1 ? fmt::format("seed {}", seeds.front())
                           : fmt::format("seeds {}-{}", seeds.front(), seeds.back());
}

std::vector<std::string> remarks_on(const ReproduceSettings& settings,
                                    const std::vector<std::string_view>& not_run) {
  std::vector<std::string> remarks = {
      "Huguet et al., “A Heat Diffusion Perspective on Geodesic Preserving Dimensionality "
      "Reduction” (2023): the paper's number, ours, and the difference, marked ▲ where ours is "
      "better. Written by `geotherm reproduce`; no number is typed in.",
      fmt::format("{} run: hyper-parameters are chosen on {}; what is reported is {}{}.",
                  settings.quick ? "Quick" : "Full", seeds_in_words(settings.validation_seeds),
                  settings.report_seeds.size() > 1 ? "mean ± standard deviation over " : "",
                  seeds_in_words(settings.report_seeds))};
  if (settings.shrink > 1) {
    remarks.push_back(
        fmt::format("**A trial of the program: data sets are {} times smaller than "
                    "the paper's, so the numbers say nothing.**",
                    settings.shrink));
  }
  if (!not_run.empty()) {
    std::string names;
    for (const auto name : not_run)
      names += (names.empty() ? "`" : ", `") + std::string(name) + "`";
    remarks.push_back("Experiments that were not run: " + names + ".");
  }
  return remarks;
}

struct Plan {
  const Experiment* experiment = nullptr;
  std::vector<Job> jobs;
  std::size_t n_measured = 0;
};

/// Jobs of all experiments that were asked for, side by side: those go by pairs of seeds, so that a
/// run that is stopped is equally far in each.
std::vector<Job> jobs_in_turn(const ReproduceCommand& command, const std::vector<Plan>& plans) {
  std::vector<std::pair<double, const Job*>> in_turn;
  for (const Plan& plan : plans) {
    if (!is_asked_for(command, *plan.experiment)) continue;
    const auto n_jobs = static_cast<double>(plan.jobs.size());
    for (const Job& job : plan.jobs) {
      in_turn.emplace_back(static_cast<double>(&job - plan.jobs.data()) / n_jobs, &job);
    }
  }
  std::stable_sort(in_turn.begin(), in_turn.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Job> jobs;
  jobs.reserve(in_turn.size());
  for (const auto& [progress, job] : in_turn) jobs.push_back(*job);
  return jobs;
}

double hours_of(const std::vector<Job>& jobs) {
  double seconds = 0;
  for (const Job& job : jobs) seconds += job.cost;
  return seconds / 3600;
}

/// What there is, what it costs, and how much of it is in the folder already.
int list_experiments(const std::vector<Plan>& plans, const ReproduceCommand& command) {
  fmt::print("{:<15} {:>5} {:>5} {:>8}  {}\n", "experiment", "jobs", "done", "hours", "");
  for (const Plan& plan : plans) {
    fmt::print("{:<15} {:>5} {:>5} {:>8.2f}  {}\n", plan.experiment->name, plan.jobs.size(),
               plan.n_measured, hours_of(plan.jobs), plan.experiment->summary);
  }
  fmt::print("\nHours are rough, on 2 cores{}. Nothing was run: name experiments, or 'all'.\n",
             command.quick ? ", with --quick" : "");
  return success;
}

int reproduce(const ReproduceCommand& command) {
  require_known(command);
  const Part part = part_from(command.part);
  const ReproduceSettings settings = settings_from(command);
  if (command.shrink < 1) throw InvalidArgument("--shrink is 0: give 1 or more");
  RunContext run(command.run);
  const std::filesystem::path folder = command.output;
  const JobCache cache(folder / "cache");
  Results results;
  std::vector<Plan> plans;
  for (const Experiment& experiment : experiments()) {
    Plan& plan = plans.emplace_back(Plan{&experiment, experiment.jobs(settings)});
    for (const Job& job : plan.jobs) {
      if (auto stored = cache.load(job.key)) results.keep(job.key, std::move(*stored));
    }
  }
  const std::vector<Job> asked_for = jobs_in_turn(command, plans);
  const auto count = [&](Plan& plan) {
    plan.n_measured = static_cast<std::size_t>(
        std::count_if(plan.jobs.begin(), plan.jobs.end(),
                      [&](const Job& job) { return results.of(job.key) != nullptr; }));
  };
  std::for_each(plans.begin(), plans.end(), count);
  if (command.names.empty()) return list_experiments(plans, command);

  const RunSummary summary = run_jobs(jobs_of_part(asked_for, part), cache, results, run);
  if (part.count > 1) {
    // Other processes have been at work in the same folder.
    for (const Job& job : asked_for) {
      if (results.of(job.key) != nullptr) continue;
      if (auto stored = cache.load(job.key)) results.keep(job.key, std::move(*stored));
    }
  }
  std::for_each(plans.begin(), plans.end(), count);
  Report report;
  std::vector<std::string_view> not_run;
  for (const Plan& plan : plans) {
    if (plan.n_measured == 0 && !is_asked_for(command, *plan.experiment)) {
      not_run.push_back(plan.experiment->name);
      continue;
    }
    report.parts.push_back({plan.experiment->name, plan.experiment->present(settings, results),
                            plan.jobs.size(), plan.n_measured});
  }
  report.remarks = remarks_on(settings, not_run);
  write_report(report, folder);
  run.say(fmt::format("{} jobs run, {} were there; see {}", summary.n_done, summary.n_cached,
                      (folder / "index.html").string()));
  if (summary.was_stopped) {
    throw Stopped(
        fmt::format("stopped; what was finished is kept in {}: the same command goes on "
                    "from there",
                    (folder / "cache").string()));
  }
  return summary.n_failed > 0 ? failure : success;
}

void set_up_reproduce(CLI::App& app, ReproduceCommand& options) {
  app.name("geotherm reproduce");
  app.description("Measure the tables and figures of the paper again");
  app.formatter(std::make_shared<HelpFormatter>());
  add_reproduce_options(app, options);
}

int run(int argc, char** argv) {
  CLI::App app;
  ReproduceCommand command;
  set_up_reproduce(app, command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    say(e.what());
    fmt::print(stderr, "See 'geotherm reproduce --help'.\n");
    return misuse;
  }
  return reproduce(command);
}

}  // namespace
}  // namespace geotherm::cli

int main(int argc, char** argv) {
  using namespace geotherm::cli;
  return exit_code_of([&] { return run(argc, argv); });
}
