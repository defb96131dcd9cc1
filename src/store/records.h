// Holds what is stored as plain data. Records name each other by text and numbers that the writer knows before the
// database does, so that a rank without the database can make them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace starling {

// The environment makes learning comparable. Two runs share policies when all fields are equal.
struct Environment {
  std::int32_t ranks = 0;
  std::int32_t nodes = 0;
  std::int32_t ranks_per_node = 0;
  std::string processor;    // model name
  std::string mpi_version;  // library version line
  std::string transport;    // "shared_memory" or "network"

  bool operator==(const Environment&) const = default;
};

// What a run spent beside the calls that its keys have, means over the ranks of MPI_COMM_WORLD; empty: not known. Of
// short calls only some are timed, which stand for the others.
struct BesideKeys {
  std::optional<std::int64_t> calls{};  // of allreduce, on communicators that were not worth preparing, or not yet
  std::optional<double> seconds{};      // in these
  std::optional<double> preparing{};    // seconds that preparing communicators took, and agreements

  bool operator==(const BesideKeys&) const = default;
};

struct Run {
  std::string id;  // unique text
  Environment environment;
  std::string program;              // file name of the executable, or of the script that it interprets
  std::int64_t started = 0;         // seconds since 1970
  std::string hosts{};              // where the ranks of MPI_COMM_WORLD run, as foldHosts() writes it; "": not known
  std::optional<double> seconds{};  // from MPI_Init to MPI_Finalize; empty: not known
  BesideKeys beside_keys{};

  bool operator==(const Run&) const = default;
};

// Candidates are compared by one of these times of a call.
inline constexpr const char* kByPostArrival = "post_arrival";  // mean exit - last arrival
inline constexpr const char* kByElapsed = "elapsed";           // mean of exit - arrival, where clocks do not compare

struct CommunicatorRecord {
  std::string id;    // unique within the run
  std::string name;  // MPI_Comm_get_name, may be empty
  std::int32_t size = 0;
  std::optional<std::string> compared_by;  // kByPostArrival or kByElapsed; empty: not recorded
  // The most by which two ranks' clocks disagreed in its timed calls, in seconds. Ranks that came no later than that
  // count as on time. 0: all read one clock; empty: not known.
  std::optional<double> clock_error;
  // What was probed when it was prepared, as CostModel has it: seconds, and seconds per byte; empty: not known.
  std::optional<double> alpha{};
  std::optional<double> beta{};
  std::optional<double> gamma{};
  std::optional<double> overhead{};
  std::optional<double> release{};
  std::optional<std::int64_t> shared_ports{};  // 1: messages at one port share it; 0: they take turns
  std::optional<double> inner_alpha{};
  std::optional<double> inner_beta{};
  std::optional<double> node_alpha{};
  std::optional<double> node_beta{};
  std::optional<double> read_alpha{};
  std::optional<double> read_beta{};
  // The nodes of its ranks in order, each named by its first rank: "0:8,8:8"; "": each rank has one of its own; empty:
  // not known.
  std::optional<std::string> nodes{};

  bool operator==(const CommunicatorRecord&) const = default;
};

// A place that calls come from. `identity` is stable between runs: "label:NAME", "MODULE[build id]+0xOFFSET", or
// "signature" for calls whose sites the ranks could not agree on.
struct SiteRecord {
  std::string identity;
  std::string label;         // set for tuned_allreduce_at and site handles
  std::string module;        // path of the executable or library
  std::string build_id;      // hexadecimal
  std::uint64_t offset = 0;  // of the return address within the module
  std::string symbol;        // demangled, may be empty

  bool operator==(const SiteRecord&) const = default;
};

inline constexpr std::int32_t kSpecialPart = 1;

// Returns the most bytes of a size class.
constexpr std::int64_t lastByteOf(std::int32_t size_class) { return std::int64_t{1} << size_class; }

// How the choice is recorded that is the MPI library's own.
inline constexpr const char* kNativeName = "native";

// A key is the thing that is tuned.
struct KeyId {
  std::string communicator;     // CommunicatorRecord::id
  std::string site;             // SiteRecord::identity
  std::int32_t size_class = 0;  // bytes in (2^(size_class-1), 2^size_class]; 0 for zero bytes and one byte
  std::string type;             // "float", "int32", ...
  std::string operation;        // "sum", "max", "user", "user_noncommutative", ...
  std::int32_t part = 0;        // kSpecialPart: only those calls that are special in a repeating sequence

  auto operator<=>(const KeyId&) const = default;  // NOLINT(modernize-use-nullptr): takes the implied 0 for a pointer
};

// The state of a key; the newest record replaces the older ones.
struct KeyRecord {
  KeyId id;
  std::int64_t bytes = 0;              // of the latest call
  std::int64_t calls = 0;              // in this run
  std::int64_t exploration_calls = 0;  // in this run: calls made to try a candidate
  std::optional<double> seconds;       // in allreduce in this run, mean over ranks; empty: no call was timed
  std::optional<double> imbalance;     // the latest rank's lateness, mean over calls, seconds; empty: not known
  std::string state;                   // "observing", "exploring", "settled", "passes_through"
  std::string choice;                  // formatChoice() of the plan in force
  std::vector<std::int32_t> table;     // virtual rank -> rank; empty = identity
  std::optional<double> gain;          // native's time / that of the choice, by CommunicatorRecord::compared_by
  std::string cycle{};    // which of the site's calls these are: "every 50th call", "all but every 50th call"; "": all
  std::string outlook{};  // what plans make of arrivals: "on_time", "predicted", "unpredictable"; "": not known
  std::optional<double> gain_error{};  // standard error of `gain`; empty: not known
  std::optional<double> waiting{};     // part of `seconds` until the last rank came; empty: not known

  bool operator==(const KeyRecord&) const = default;
};

// Of a key's epoch the arrivals of so many ranks are recorded one by one: of those that are, or have been, late beyond
// the noise, and of the latest. The others are in the histogram alone.
inline constexpr std::size_t kRecordedRanks = 8;

// One candidate's calls of one epoch, or of several older ones that were joined (see store/history.h).
struct ObservationRecord {
  KeyId key;
  std::int64_t epoch = 0;
  std::string choice;
  bool exploration = false;
  std::int64_t calls = 0;
  std::int64_t samples = 0;  // calls that were stamped; with none, no time below is known
  // These are of the samples' mean exit - arrival over ranks, in seconds.
  std::optional<double> elapsed_mean;
  std::optional<double> elapsed_minimum;
  std::optional<double> elapsed_deviation;
  // These are of the samples' mean exit - last arrival, in seconds; empty where the ranks' clocks do not compare.
  std::optional<double> post_arrival_mean;
  std::optional<double> post_arrival_minimum;
  std::optional<double> post_arrival_deviation;
  std::int64_t epochs = 1;  // that it tells of; `epoch` is the latest of them

  bool operator==(const ObservationRecord&) const = default;
};

// One rank's lateness in one epoch, or in several older ones that were joined, seconds.
struct ArrivalRecord {
  KeyId key;
  std::int64_t epoch = 0;
  std::int32_t rank = 0;  // in the communicator
  std::int64_t samples = 0;
  double mean = 0.0;
  double deviation = 0.0;
  double predicted = 0.0;  // for the next call
  std::string method;      // predictionMethodName()
  // By how much the method's latest predictions were wrong on average, seconds; empty: not known.
  std::optional<double> error{};
  std::int64_t epochs = 1;  // that it tells of, in which this rank was recorded; `epoch` is the latest of them
  std::optional<std::int64_t> last{};        // samples in which this rank came last, beyond the clocks' error
  std::optional<std::int64_t> world_rank{};  // in MPI_COMM_WORLD; empty: not known, or of another world
  // Time that others waited for it in all calls in which it came last, mean over all ranks, seconds; empty: not known.
  std::optional<double> waited{};

  bool operator==(const ArrivalRecord&) const = default;
};

// The latenesses of all ranks in one epoch, or in several older ones that were joined.
struct HistogramRecord {
  KeyId key;
  std::int64_t epoch = 0;    // the latest of those that it tells of
  std::int64_t samples = 0;  // calls that were timed, of every rank
  // Entry i counts the ranks, once for each epoch, whose mean lateness lies in class i: see store/lateness_classes.h.
  std::vector<std::int64_t> counts;
  std::int64_t epochs = 1;

  bool operator==(const HistogramRecord&) const = default;
};

struct DecisionRecord {
  KeyId key;
  std::int64_t epoch = 0;
  std::int64_t call = 0;  // the key's calls when it was decided
  std::string choice;
  std::vector<std::int32_t> table;
  std::string reason;              // one or more sentences
  std::optional<double> expected;  // post-arrival seconds, by the cost model
  std::optional<double> measured;  // seconds of the choice, by CommunicatorRecord::compared_by
  std::optional<double> native;    // seconds of native, likewise

  bool operator==(const DecisionRecord&) const = default;
};

// A later run starts from policies, which are keyed by site, communicator size, size class, type and operation.
struct PolicyRecord {
  std::string site;
  std::int32_t communicator_size = 0;
  std::int32_t size_class = 0;
  std::string type;
  std::string operation;
  std::string choice;
  std::vector<std::int32_t> table;
  std::vector<std::int64_t> lateness_ns;   // by virtual rank; empty = on time
  std::optional<double> gain;              // native's time / that of the choice
  std::optional<std::string> compared_by;  // the time that the gain compares, as in CommunicatorRecord
  std::string reason;

  // What kind of calls it is for; of one kind, program and environment there is one policy for each site.
  auto kind() const { return std::tie(communicator_size, size_class, type, operation); }
  bool operator==(const PolicyRecord&) const = default;
};

// Records that travel and are written together.
struct Batch {
  std::vector<CommunicatorRecord> communicators;
  std::vector<SiteRecord> sites;
  std::vector<KeyRecord> keys;
  std::vector<ObservationRecord> observations;
  std::vector<ArrivalRecord> arrivals;
  std::vector<HistogramRecord> histograms;
  std::vector<DecisionRecord> decisions;
  std::vector<PolicyRecord> policies;

  bool operator==(const Batch&) const = default;
  bool isEmpty() const {
    return communicators.empty() && sites.empty() && keys.empty() && observations.empty() && arrivals.empty() &&
           histograms.empty() && decisions.empty() && policies.empty();
  }
  // Takes the records of a later batch. Where memory is short it throws std::bad_alloc, and each record is still in one
  // of both.
  void append(Batch&& later) {
    const auto take = [](auto& records, auto& others) {
      records.insert(records.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
      others.clear();
    };
    take(communicators, later.communicators);
    take(sites, later.sites);
    take(keys, later.keys);
    take(observations, later.observations);
    take(arrivals, later.arrivals);
    take(histograms, later.histograms);
    take(decisions, later.decisions);
    take(policies, later.policies);
  }
};

}  // namespace starling
