// starling-gym: the tuner and its rivals in synthetic worlds, in virtual time.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "game.h"
#include "option_values.h"
#include "standings.h"

namespace starling::gym {
namespace {

constexpr std::size_t kCurveStep = 20;  // calls
constexpr int kUsageError = 2;

struct Arguments {
  std::int32_t worlds = 88;
  std::uint64_t first = 0;
  std::int32_t calls = 1000;
  std::int32_t runs = 1;
  std::vector<std::string> players;
  std::string json;
  std::int32_t jobs = static_cast<std::int32_t>(std::max(std::thread::hardware_concurrency(), 1U));
  bool tells_worlds = false;
  bool tells_story = false;
};

// What one world has come to.
struct Result {
  World world{};
  std::vector<Figures> figures{};             // by player
  std::vector<std::vector<double>> curves{};  // likewise
  std::vector<std::string> stories{};         // likewise
};

Result playWorld(std::uint64_t seed, const Arguments& arguments) {
  Result result{.world = makeWorld(seed, arguments.calls)};
  Game game(result.world);
  for (const std::string& name : arguments.players) {
    const Entrant& entrant = *findEntrant(name);
    std::unique_ptr<Player> player = entrant.enter(result.world, {});
    std::vector<Turn> turns = game.play(*player);
    for (std::int32_t run = 1; run < arguments.runs; ++run) {
      player = entrant.enter(result.world, player->policies());
      turns = game.play(*player);
    }
    result.figures.push_back(figuresOf(result.world, turns, player->claim(result.world.calls.back().key)));
    result.curves.push_back(regretCurve(turns, kCurveStep));
    if (arguments.tells_story)
      result.stories.push_back(game.describeBest(turns) + player->story() + game.describeBeliefs(*player));
  }
  // What nothing is told of makes room for other worlds.
  result.world.calls = {};
  result.world.patterns = {};
  return result;
}

// A fault in a world is thrown when the others have been played.
std::vector<Result> playWorlds(const Arguments& arguments) {
  std::vector<Result> results(static_cast<std::size_t>(arguments.worlds));
  std::vector<std::string> faults(results.size());
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> workers;
  for (std::int32_t i = 0; i < arguments.jobs; ++i) {
    workers.emplace_back([&] {
      for (std::size_t world = next++; world < results.size(); world = next++) {
        const std::uint64_t seed = arguments.first + world;
        try {
          results[world] = playWorld(seed, arguments);
        } catch (const std::exception& fault) {
          faults[world] = fmt::format("world {}: {}", seed, fault.what());
        }
      }
    });
  }
  workers.clear();
  const auto fault = std::ranges::find_if(faults, [](const std::string& text) { return !text.empty(); });
  if (fault != faults.end()) throw std::runtime_error(*fault);
  return results;
}

nlohmann::json jsonOf(const Result& result, const std::vector<std::string>& players) {
  nlohmann::json json{{"record", "world"},
                      {"world", result.world.seed},
                      {"ranks", result.world.ranks},
                      {"bytes", result.world.keys.front().signature.bytes()},
                      {"arrivals", nameOf(result.world.arrivals)},
                      {"noise", nameOf(result.world.noise.kind)},
                      {"program", nameOf(result.world.program)},
                      {"players", nlohmann::json::object()}};
  const auto put = [](nlohmann::json& object, const char* name, const auto& value) {
    if (value) object[name] = *value;
  };
  for (std::size_t i = 0; i < players.size(); ++i) {
    const Figures& figures = result.figures[i];
    nlohmann::json& player = json["players"][players[i]];
    const Losses& losses = figures.losses;
    player = {{"regret", figures.regret},
              {"over_native", figures.over_native},
              {"lost_to_trials", losses.trials},
              {"lost_to_native", losses.native},
              {"lost_to_leaving", losses.leaving},
              {"lost_to_algorithm", losses.algorithm},
              {"lost_to_parameters", losses.parameters},
              {"worst_stretch", figures.worst_stretch},
              {"exploration_calls", figures.exploration_calls},
              {"curve", result.curves[i]}};
    put(player, "worst_from", figures.worst_from);
    put(player, "settled", figures.settled);
    put(player, "near_best", figures.near_best);
    put(player, "left_wrongly", figures.left_wrongly);
    put(player, "missed", figures.missed);
    put(player, "claim", figures.claim);
    put(player, "claimed_wrongly", figures.claimed_wrongly);
    put(player, "followed_rank", figures.followed_rank);
    put(player, "followed_cost", figures.followed_cost);
  }
  return json;
}

int cannotWrite(const std::string& path) {
  fmt::print(stderr, "starling-gym: --json: {} cannot be written: see whether the folder is there and has room\n",
             path);
  return 1;
}

int writeJson(const std::vector<Result>& results, const Arguments& arguments, std::ofstream& file) {
  for (const Result& result : results) file << jsonOf(result, arguments.players).dump() << '\n';
  return file.flush() ? 0 : cannotWrite(arguments.json);
}

void tell(const std::vector<Result>& results, const Arguments& arguments) {
  for (const Result& result : results) {
    if (arguments.tells_worlds || arguments.tells_story)
      fmt::print("world {}: {}\n", result.world.seed, result.world.describe());
    for (std::size_t i = 0; i < arguments.players.size(); ++i) {
      if (arguments.tells_worlds) {
        fmt::print("  {:<9} regret {:6.1f} %, worst 50 {:.2f}\n", arguments.players[i],
                   100.0 * result.figures[i].regret, result.figures[i].worst_stretch);
      }
      if (arguments.tells_story) fmt::print("{}", result.stories[i]);
    }
  }
  std::vector<Standing> standings;
  for (std::size_t i = 0; i < arguments.players.size(); ++i) {
    Standing& standing = standings.emplace_back(Standing{arguments.players[i], {}});
    for (const Result& result : results) standing.worlds.push_back(result.figures[i]);
  }
  fmt::print("{}", describe(standings));
}

std::string listOfEntrants() {
  std::string text = "Players:";
  for (const Entrant& one : entrants()) text += fmt::format("\n  {:<10}{}", one.name, one.what);
  return text;
}

void addOptions(CLI::App& app, Arguments& arguments) {
  app.add_option("--worlds", arguments.worlds, "How many (default: 88, each kind of arrivals with each of noise)")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--first", arguments.first, "Number of the first world (default: 0)")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40));
  app.add_option("--calls", arguments.calls, "Calls of each world (default: 1000)")->check(CLI::Range(500, 100'000));
  app.add_option("--runs", arguments.runs,
                 "How often a world is played, each time with what was learned before; told of is the last time "
                 "(default: 1)")
      ->check(CLI::Range(1, 100));
  app.add_option("--players", arguments.players, "Names, separated by commas (default: all)")->delimiter(',');
  app.add_option("--jobs", arguments.jobs, "Worlds side by side (default: as many as there are cores)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--json", arguments.json, "Write a line for each world into this file");
  app.add_flag("--each", arguments.tells_worlds, "Tell of each world");
  app.add_flag("--story", arguments.tells_story,
               "Tell the best plans, the tuner's decisions, and what it believes at the end");
  app.footer(listOfEntrants());
  cli::refuseOptionsAsValues(app);
}

// Returns what is wrong with the names, with how to mend it; empty: nothing is.
std::string faultOf(const std::vector<std::string>& players) {
  for (const std::string& name : players) {
    if (findEntrant(name) == nullptr)
      return fmt::format("--players: there is no '{}'; see the list in `starling-gym --help`", name);
    if (std::ranges::count(players, name) > 1)
      return fmt::format("--players: '{}' is named twice: name each player once", name);
  }
  return "";
}

int run(int argc, char** argv) {
  Arguments arguments;
  CLI::App app(
      "Lets Starling's tuner and its rivals learn in synthetic worlds, in virtual time, and tells what that cost.",
      "starling-gym");
  addOptions(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "starling-gym: {} (see `starling-gym --help`)\n", error.what());
    return kUsageError;
  }
  if (arguments.players.empty()) {
    for (const Entrant& one : entrants()) arguments.players.emplace_back(one.name);
  }
  if (const std::string fault = faultOf(arguments.players); !fault.empty()) {
    fmt::print(stderr, "starling-gym: {}\n", fault);
    return kUsageError;
  }
  // Before anything is played: that may take long.
  std::ofstream json;
  if (!arguments.json.empty()) {
    json.open(arguments.json);
    if (!json) return cannotWrite(arguments.json);
  }
  const std::vector<Result> results = playWorlds(arguments);
  tell(results, arguments);
  return arguments.json.empty() ? 0 : writeJson(results, arguments, json);
}

}  // namespace
}  // namespace starling::gym

int main(int argc, char** argv) {
  try {
    return starling::gym::run(argc, argv);
  } catch (const std::exception& fault) {
    fmt::print(stderr, "starling-gym: {}\n", fault.what());
    return 1;
  }
}
