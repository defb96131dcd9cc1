#include "rooted_subject.h"

#include "base/options.h"
#include "starling/starling.h"

namespace starling::bench {
namespace {

// By then tables and trees follow a pattern that stays, and have been compared with the MPI library's own function.
constexpr std::int64_t kPeriodsOfWarmup = 8;

class NativeRooted final : public Subject {
 public:
  explicit NativeRooted(const SubjectServices& services) : services_(services) {}

  std::string algorithm() const override { return "native"; }
  std::string choice() const override { return "native"; }
  int run(const Buffers& buffers) override {
    const MPI_Datatype datatype = services_.workload->datatype();
    if (services_.collective == Collective::kBcast) {
      return PMPI_Bcast(buffers.result, buffers.count, datatype, kRoot, services_.world);
    }
    return PMPI_Reduce(buffers.input, buffers.result, buffers.count, datatype, services_.workload->operation(), kRoot,
                       services_.world);
  }

 private:
  const SubjectServices services_;
};

class TunedRooted final : public Subject {
 public:
  explicit TunedRooted(const SubjectServices& services) : services_(services) {
    const Options options = parseEnvironment().options;
    calls_to_learn_ = options.minimum_calls + kPeriodsOfWarmup * options.rooted_period;
    // All ranks take rank 0's number, as the library takes rank 0's options; ranks that made different numbers of calls
    // to warm up would hang.
    PMPI_Bcast(&calls_to_learn_, 1, MPI_INT64_T, 0, services_.world);
  }

  std::string algorithm() const override { return "tuned"; }
  std::string choice() const override { return "tuned"; }
  int run(const Buffers& buffers) override {
    ++calls_;
    const MPI_Datatype datatype = services_.workload->datatype();
    if (services_.collective == Collective::kBcast) {
      return tuned_bcast(buffers.result, buffers.count, datatype, kRoot, services_.world);
    }
    return tuned_reduce(buffers.input, buffers.result, buffers.count, datatype, services_.workload->operation(), kRoot,
                        services_.world);
  }
  bool needsMoreWarmup() const override { return calls_ < calls_to_learn_; }

 private:
  const SubjectServices services_;
  std::int64_t calls_to_learn_ = 0;
  std::int64_t calls_ = 0;
};

}  // namespace

std::unique_ptr<Subject> makeRootedSubject(const SubjectChoice& choice, const SubjectServices& services) {
  if (choice.algorithm == kTuned) return std::make_unique<TunedRooted>(services);
  return std::make_unique<NativeRooted>(services);
}

}  // namespace starling::bench
