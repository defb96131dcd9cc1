#include "arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>

#include "algos/catalogue.h"
#include "choices.h"
#include "option_values.h"
#include "subject_choice.h"
#include "units_parse.h"

namespace starling::bench {
namespace {

constexpr const char* kAll = "all";
constexpr const char* kNoDelay = "0";
constexpr std::int64_t kLargestCount = std::numeric_limits<std::int32_t>::max();
// In each phase, unless the user says how many in all: what learns has settled by then.
constexpr std::int32_t kUsualCallsOfAPhase = 60;

// The arguments as they come from the command line.
struct Texts {
  std::string collective = "allreduce";
  std::string algorithms = kAll;
  std::vector<std::string> parameters;
  std::string counts = "1Mi";
  std::string slow_cost = "50ns";
  std::string pattern = "none";
  std::string delays = kNoDelay;
  std::string predict = "perfect";
  std::string compute;
  std::string beta;
  std::string alpha;
};

std::vector<std::string> splitAtCommas(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    parts.push_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  return parts;
}

Status readCollective(const Texts& texts, Arguments& arguments) {
  const Result<Collective> collective = parseCollective(texts.collective);
  if (!collective.isOk()) return Status::error("--collective: " + collective.status().message());
  arguments.collective = collective.value();
  return Status::ok();
}

bool hasParameter(const std::string& algorithm, std::string_view name) {
  const Algorithm* row = findAlgorithm(algorithm.substr(0, algorithm.find(':')));
  if (row == nullptr) return false;
  for (const Parameter& parameter : row->parameters) {
    if (parameter.name == name) return true;
  }
  return false;
}

// Adds NAME=VALUE to every algorithm that has such a parameter.
Status addParameter(const std::string& text, std::vector<std::string>& algorithms) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Status::error(fmt::format("--param {}: write NAME=VALUE, as in segments=64", text));
  }
  bool used = false;
  for (std::string& algorithm : algorithms) {
    if (!hasParameter(algorithm, text.substr(0, equals))) continue;
    algorithm += (algorithm.find(':') == std::string::npos ? ":" : ",") + text;
    used = true;
  }
  if (used) return Status::ok();
  return Status::error(
      fmt::format("--param {}: none of the algorithms has that parameter (see `starling algorithms`)", text));
}

Status readAlgorithms(const Texts& texts, std::int32_t ranks, Arguments& arguments) {
  const bool all = texts.algorithms == kAll;
  arguments.algorithms = all ? knownSubjects(arguments.collective) : cli::splitChoices(texts.algorithms);
  for (const std::string& parameter : texts.parameters) {
    const Status status = addParameter(parameter, arguments.algorithms);
    if (!status.isOk()) return status;
  }
  const Result<OperandChoice> operands = parseOperands(arguments.type, arguments.operation);
  if (!operands.isOk()) return operands.status();
  arguments.operands = operands.value();
  std::vector<std::string> valid;
  for (const std::string& text : arguments.algorithms) {
    const Result<SubjectChoice> subject = parseSubject(arguments.collective, text);
    if (!subject.isOk()) return Status::error("--algorithm: " + subject.status().message());
    const Algorithm* row = subject.value().choice ? findAlgorithm(subject.value().choice->algorithm) : nullptr;
    const bool is_valid = row == nullptr || isValid(*row, {ranks, 1, arguments.operands->operation.commutes()});
    if (is_valid) valid.push_back(text);
    if (!is_valid && !all) {
      return Status::error(fmt::format("--algorithm {}: not valid for {} ranks and --op {} ({})", text, ranks,
                                       arguments.operation, row->valid_text));
    }
  }
  arguments.algorithms = std::move(valid);
  return Status::ok();
}

Status readCounts(const Texts& texts, Arguments& arguments) {
  for (const std::string& text : splitAtCommas(texts.counts)) {
    const Result<std::int64_t> count = cli::parseCount(text);
    if (!count.isOk()) return Status::error("--count: " + count.status().message());
    if (count.value() > kLargestCount) {
      return Status::error(fmt::format("--count {}: one call takes at most {} elements", text, kLargestCount));
    }
    arguments.counts.push_back(count.value());
  }
  return Status::ok();
}

Status readDelays(const Texts& texts, Arguments& arguments) {
  for (const std::string& text : splitAtCommas(texts.delays)) {
    double delay = -1.0;
    if (!CLI::detail::lexical_cast(text, delay) || !(delay >= 0.0 && delay <= 1e6)) {
      return Status::error(fmt::format("--delay: '{}' is not a number of milliseconds from 0 to 1000000", text));
    }
    arguments.delays_ms.push_back(delay);
  }
  return Status::ok();
}

Status readDuration(const char* option, const std::string& text, std::optional<Seconds>& duration,
                    bool is_required = false) {
  if (text.empty() && !is_required) return Status::ok();
  const Result<Seconds> parsed = cli::parseDuration(text);
  if (!parsed.isOk()) return Status::error(fmt::format("{}: {}", option, parsed.status().message()));
  duration = parsed.value();
  return Status::ok();
}

// Gives all phases equally many calls.
Status completePhases(std::int32_t ranks, Arguments& arguments) {
  if (ranks < 2) return Status::error("--pattern phases: the late rank moves, which takes 2 ranks or more");
  const auto phases = static_cast<std::int32_t>(phasesOf(arguments.pattern, ranks, arguments.late_rank).size());
  if (!arguments.has_iterations) arguments.iterations = phases * kUsualCallsOfAPhase;
  if (arguments.iterations % phases == 0) return Status::ok();
  return Status::error(
      fmt::format("--pattern phases: --iterations {} cannot be shared evenly among {} phases: give a multiple of {}",
                  arguments.iterations, phases, phases));
}

Status readPattern(const Texts& texts, std::int32_t ranks, Arguments& arguments) {
  const Result<Pattern> pattern = parsePattern(texts.pattern);
  if (!pattern.isOk()) return Status::error("--pattern: " + pattern.status().message());
  arguments.pattern = pattern.value();
  if (arguments.pattern.late_ranks > ranks) {
    return Status::error(fmt::format("--pattern {}: there are only {} ranks", texts.pattern, ranks));
  }
  const PatternKind kind = arguments.pattern.kind;
  const bool some_late = kind == PatternKind::kOneLate || kind == PatternKind::kLate || kind == PatternKind::kPhases;
  if (some_late && ranks > 1 && arguments.late_rank >= ranks) {
    return Status::error(
        fmt::format("--late-rank {}: there are only {} ranks, 0 to {}", arguments.late_rank, ranks, ranks - 1));
  }
  if (kind == PatternKind::kRecorded && texts.delays != kNoDelay) {
    return Status::error("--delay: recorded arrivals are replayed as they were: leave it out");
  }
  const Result<Predict> predict = parsePredict(texts.predict);
  if (!predict.isOk()) return Status::error("--predict: " + predict.status().message());
  arguments.predict = predict.value();
  return kind == PatternKind::kPhases ? completePhases(ranks, arguments) : Status::ok();
}

// What calls have taken is known only once all of them are made, where nothing stands between them.
Status checkAsProgram(const Arguments& arguments) {
  if (!arguments.as_program) return Status::ok();
  if (arguments.procedure != Procedure::kImposed) {
    return Status::error("--as-program: the calls of --back-to-back and --overhead have no computation: leave one out");
  }
  if (arguments.predict == Predict::kLearned) {
    return Status::error(
        "--as-program: rows have nothing to learn from before the last call: use another --predict, or `tuned` with "
        "--no-announce");
  }
  return Status::ok();
}

// Loops call MPI_Allreduce as the process has it, one call right after the other.
Status checkProcedure(const Texts& texts, const Arguments& arguments) {
  if (arguments.procedure == Procedure::kImposed) {
    if (arguments.operands->element != Element::kChar) return Status::ok();
    return Status::error(
        "--type char: MPI defines no operation on it, so algorithms are not compared: add --back-to-back or "
        "--overhead, or use another type");
  }
  const char* const option = arguments.procedure == Procedure::kOverhead ? "--overhead" : "--back-to-back";
  if (arguments.pattern.kind != PatternKind::kNone) {
    return Status::error(fmt::format("{}: calls follow each other at once, and nobody is late: leave out --pattern {}",
                                     option, texts.pattern));
  }
  if (texts.algorithms != kAll || arguments.collective != Collective::kAllreduce) {
    return Status::error(fmt::format(
        "{}: measures MPI_Allreduce as the process has it: leave out --algorithm and --collective", option));
  }
  if (arguments.from_first_call) {
    return Status::error(fmt::format("{}: has a --warmup of its own: leave out --from-first-call", option));
  }
  return Status::ok();
}

Status readTexts(const Texts& texts, std::int32_t ranks, Arguments& arguments) {
  std::optional<Seconds> slow_cost;
  std::optional<Seconds> beta;
  Status status = readDuration("--slow-cost", texts.slow_cost, slow_cost, true);
  if (status.isOk()) arguments.slow_cost = slow_cost.value_or(Seconds{});
  if (status.isOk()) status = readDuration("--compute", texts.compute, arguments.compute);
  if (status.isOk()) status = readDuration("--beta", texts.beta, beta);
  if (status.isOk()) status = readDuration("--alpha", texts.alpha, arguments.alpha);
  if (status.isOk() && beta && beta->value <= 0.0) status = Status::error("--beta: a byte takes more than no time");
  if (status.isOk() && beta) arguments.beta_ns = 1e9 * beta->value;
  if (status.isOk()) status = readCollective(texts, arguments);
  if (status.isOk()) status = readAlgorithms(texts, ranks, arguments);
  if (status.isOk()) status = readCounts(texts, arguments);
  if (status.isOk()) status = readDelays(texts, arguments);
  if (status.isOk()) status = readPattern(texts, ranks, arguments);
  if (status.isOk()) status = checkAsProgram(arguments);
  if (status.isOk()) status = checkProcedure(texts, arguments);
  if (status.isOk() && arguments.json == "-" && arguments.csv == "-") {
    status = Status::error("--json - and --csv - would share the standard output: give one of them a file");
  }
  return status;
}

void addSubjectOptions(CLI::App& app, Texts& texts, Arguments& arguments) {
  app.add_option("--collective", texts.collective,
                 "What to measure: allreduce, bcast or reduce, these from and to rank 0, with the algorithms native,\n"
                 "planned (the plan of tuned_bcast or tuned_reduce, made from what --predict tells) and tuned\n"
                 "(default: allreduce)")
      ->option_text("NAME");
  app.add_option("--algorithm", texts.algorithms,
                 "What to measure, interleaved: names of `starling algorithms` with their parameters, as in\n"
                 "ring,slt:segments=64, `native`, `tuned` (tuned_allreduce), or `all` (default: all)")
      ->option_text("NAME,...");
  app.add_option("--param", texts.parameters, "A parameter of every algorithm that has it; may be given several times")
      ->option_text("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--count", texts.counts, "Elements of a call, as in 1000,64Ki,1Mi (default: 1Mi)")
      ->option_text("N,...");
  app.add_option(
         "--type", arguments.type,
         "float, double, int32, int64, uint32, uint64 (default: float), or char, with --back-to-back and --overhead")
      ->option_text("TYPE");
  app.add_option("--op", arguments.operation,
                 "sum, prod, max, min, or a user operation: slow-sum, matrix and slow-matrix (the matrices do not\n"
                 "commute) (default: sum)")
      ->option_text("NAME");
  app.add_option("--slow-cost", texts.slow_cost, "Time per element of slow operations (default: 50ns)")
      ->option_text("DURATION");
}

void addPatternOptions(CLI::App& app, Texts& texts, Arguments& arguments) {
  app.add_option(
         "--pattern", texts.pattern,
         "Who is late: none, one-late, any-late, rand-late, late:K, gamma, gaussian, ramp, alternate, staircase: four\n"
         "groups of ranks at 0, 6, 19 and 28 parts of 28 of the delay; phases: one rank, then the one half the\n"
         "communicator away, then nobody, then another in each call; or recorded:DATABASE:SITE: as a tuning database\n"
         "recorded them of this number of ranks, epoch after epoch; SITE is a number or a label (default: none)")
      ->option_text("NAME");
  app.add_option("--delay", texts.delays, "By how much, in milliseconds (default: 0)")->option_text("MS,...");
  app.add_option("--late-rank", arguments.late_rank,
                 "The first rank that one-late, late:K and phases delay (default: 1)")
      ->option_text("R")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--predict", texts.predict,
                 "What the plan is told of the pattern: perfect, none, wrong (other ranks are late) or learned\n"
                 "(from the calls before); not told to `tuned` (default: perfect)")
      ->option_text("HOW");
  app.add_flag("--announce,!--no-announce", arguments.announce,
               "With `tuned`, call starling_edge() in the middle of the computation, which tells it who will be late\n"
               "(default), or let it learn from the calls before alone");
  app.add_option("--compute", texts.compute,
                 "Emulated computation before each call (default: the delay and 100ms, as in Proficz 2018)")
      ->option_text("DURATION");
  app.add_flag(
      "--as-program", arguments.as_program,
      "The calls of an algorithm form one loop, as in a program: a rank begins to compute when it has left the\n"
      "call before, nothing else stands between, and the whole loop is timed. `tuned` is not warmed up");
  app.add_option("--alpha", texts.alpha, "Latency of a message, where it is known (default: probed)")
      ->option_text("DURATION");
  app.add_option("--beta", texts.beta,
                 "Time of one byte on a link, where it is known: the share of the possible saving needs it")
      ->option_text("DURATION");
}

void addLoopOptions(CLI::App& app, Arguments& arguments) {
  CLI::Option* const back_to_back = app.add_flag_callback(
      "--back-to-back", [&arguments] { arguments.procedure = Procedure::kBackToBack; },
      "Loops as suites of benchmarks have them: a barrier, then calls of MPI_Allreduce right after each other; the\n"
      "mean over calls and ranks. --iterations calls after --warmup calls (default: 1000 after 200 up to 8 KiB, 100\n"
      "after 10 above)");
  app.add_flag_callback(
         "--overhead", [&arguments] { arguments.procedure = Procedure::kOverhead; },
         "What calls of MPI_Allreduce cost over those of PMPI_Allreduce, in loops of both by turns, of 1000 calls up "
         "to\n"
         "8 KiB and 100 above, and the least that such calls can take: a copy of the vector that all ranks make at\n"
         "once, and flags in shared memory by which all ranks wait for each other; needs the preload library.\n"
         "--iterations pairs of loops (default: 100) after --warmup calls (default: 2000)")
      ->excludes(back_to_back);
  app.add_option("--calls", arguments.calls, "Calls of each of these loops, in place of 1000 and 100")
      ->option_text("N")
      ->needs("--overhead")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--sites", arguments.sites,
                 "Places in the program from which loops call in turn; each is a key of its own (default: 1)")
      ->option_text("N")
      ->check(CLI::Range(1, kMostSites));
}

void addRunOptions(CLI::App& app, Arguments& arguments) {
  app.add_flag("--model", arguments.model,
               "Also say what the cost model predicts by which the tuner orders its candidates, with the values that\n"
               "are probed on this network (--alpha and --beta do not change it)");
  app.add_option(
         "--iterations", arguments.iterations,
         "Calls measured per algorithm and setting (default: 5; 240 with --pattern phases, a quarter of them in each)")
      ->option_text("N")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--warmup", arguments.warmup,
                 "Calls before that; `tuned` makes more until it has settled, but none before --pattern phases or "
                 "--as-program\n"
                 "(default: 1)")
      ->option_text("N")
      ->check(CLI::Range(0, 1'000'000));
  app.add_flag("--from-first-call", arguments.from_first_call,
               "What learns is not warmed up: its first calls are measured, too; --json has the elapsed time of each");
  app.add_option("--seed", arguments.seed, "Seed of data and random patterns (default: 1)")->option_text("N");
  app.add_option("--json", arguments.json, "Writes one JSON object per line; - is the standard output")
      ->option_text("FILE");
  app.add_option("--csv", arguments.csv, "Writes the results as comma-separated values")->option_text("FILE");
  app.add_flag("--quiet", arguments.quiet, "No table and no progress bar");
}

}  // namespace

ParsedArguments usageError(const std::string& message) {
  return {std::nullopt, fmt::format("starling-bench: {} (see `starling-bench --help`)\n", message), 2};
}

ParsedArguments parseArguments(const std::vector<std::string>& arguments, std::int32_t ranks) {
  Arguments parsed;
  Texts texts;
  CLI::App app{
      "Measures collective operations under imposed arrival patterns, side by side in one run.\n"
      "Start it with mpirun, `tools/lab/cluster run` or `tools/lab/simulate`.",
      "starling-bench"};
  app.set_version_flag("--version", "starling-bench " STARLING_VERSION);
  addSubjectOptions(app, texts, parsed);
  addPatternOptions(app, texts, parsed);
  addLoopOptions(app, parsed);
  addRunOptions(app, parsed);
  cli::refuseOptionsAsValues(app);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return {std::nullopt, app.help(), 0};
  } catch (const CLI::CallForVersion& version) {
    return {std::nullopt, std::string(version.what()) + "\n", 0};
  } catch (const CLI::ParseError& error) {
    return usageError(error.what());
  }
  parsed.has_iterations = app.count("--iterations") > 0;
  parsed.has_warmup = app.count("--warmup") > 0;
  const Status status = readTexts(texts, ranks, parsed);
  if (!status.isOk()) return usageError(status.message());
  return {std::move(parsed), "", 0};
}

}  // namespace starling::bench
