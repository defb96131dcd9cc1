#include "standings.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "estimators/statistics.h"
#include "table.h"

namespace starling::gym {
namespace {

using cli::Align;

// Returns the figure in all worlds where it is defined.
template <typename Figure>
std::vector<double> valuesOf(const Standing& standing, Figure figure) {
  std::vector<double> values;
  for (const Figures& world : standing.worlds) {
    if (const std::optional<double> value = figure(world)) values.push_back(*value);
  }
  return values;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

std::string quantileOf(const std::vector<double>& values, double q, const std::function<std::string(double)>& format) {
  return values.empty() ? "-" : format(quantile(values, q));
}

std::string calls(double number) { return fmt::format("{:.0f}", number); }

// Returns the share of worlds, of those where this is defined, in which it holds.
std::string shareOf(const Standing& standing, std::optional<bool> Figures::*fault) {
  const std::vector<double> values = valuesOf(standing, [&](const Figures& world) {
    return world.*fault ? std::optional(*(world.*fault) ? 1.0 : 0.0) : std::nullopt;
  });
  return values.empty() ? "-" : percent(summarize(values).mean);
}

std::vector<std::string> rowOf(const Standing& standing) {
  const std::vector<double> regrets = valuesOf(standing, [](const Figures& one) { return std::optional(one.regret); });
  const std::vector<double> stretches =
      valuesOf(standing, [](const Figures& one) { return std::optional(one.worst_stretch); });
  const std::vector<double> explored =
      valuesOf(standing, [](const Figures& one) { return std::optional(static_cast<double>(one.exploration_calls)); });
  const auto both = [](const std::vector<double>& values) {
    return quantileOf(values, 0.5, calls) + " / " + quantileOf(values, 0.95, calls);
  };
  const auto ratio = [](double value) { return fmt::format("{:.2f}", value); };
  return {standing.player,
          quantileOf(regrets, 0.5, percent),
          quantileOf(regrets, 0.95, percent),
          shareOf(standing, &Figures::left_wrongly),
          shareOf(standing, &Figures::missed),
          shareOf(standing, &Figures::claimed_wrongly),
          both(valuesOf(standing, [](const Figures& one) { return one.settled; })),
          both(valuesOf(standing, [](const Figures& one) { return one.near_best; })),
          both(valuesOf(standing, [](const Figures& one) { return one.followed_rank; })),
          both(valuesOf(standing, [](const Figures& one) { return one.followed_cost; })),
          quantileOf(stretches, 0.95, ratio),
          quantileOf(stretches, 1.0, ratio),
          quantileOf(explored, 0.5, calls)};
}

}  // namespace

std::string describe(const std::vector<Standing>& standings) {
  cli::Table table({{"player"},
                    {"regret", Align::kRight},
                    {"95%", Align::kRight},
                    {"left wrongly", Align::kRight},
                    {"missed", Align::kRight},
                    {"gain wrong", Align::kRight},
                    {"settled", Align::kRight},
                    {"near the best", Align::kRight},
                    {"rank moved", Align::kRight},
                    {"cost changed", Align::kRight},
                    {"worst 50, 95%", Align::kRight},
                    {"worst 50", Align::kRight},
                    {"explored", Align::kRight}});
  for (const Standing& standing : standings) table.addRow(rowOf(standing));
  return table.text();
}

}  // namespace starling::gym
