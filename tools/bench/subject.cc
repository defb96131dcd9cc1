#include "subject.h"

#include "native_selection.h"
#include "planned_subject.h"
#include "rooted_subject.h"
#include "tuned_subject.h"

namespace starling::bench {
namespace {

class NativeSubject final : public Subject {
 public:
  NativeSubject(std::string algorithm, const SubjectServices& services)
      : algorithm_(std::move(algorithm)), services_(services) {}

  std::string algorithm() const override { return algorithm_; }
  std::string choice() const override { return algorithm_; }
  int run(const Buffers& buffers) override {
    const bool has_selector = algorithm_.starts_with(kNativePrefix);
    selectNative(services_.collective, has_selector ? algorithm_.substr(std::string_view(kNativePrefix).size()) : "");
    const int code = call(buffers);
    selectUsual(services_.collective);
    return code;
  }

 private:
  int call(const Buffers& buffers) {
    const MPI_Datatype datatype = services_.workload->datatype();
    switch (services_.collective) {
      case Collective::kBcast:
        return PMPI_Bcast(buffers.result, buffers.count, datatype, kRoot, services_.world);
      case Collective::kReduce:
        return PMPI_Reduce(buffers.input, buffers.result, buffers.count, datatype, services_.workload->operation(),
                           kRoot, services_.world);
      default:
        return PMPI_Allreduce(buffers.input, buffers.result, buffers.count, datatype, services_.workload->operation(),
                              services_.world);
    }
  }

  const std::string algorithm_;
  const SubjectServices services_;
};

}  // namespace

Status checkNatives(Collective collective, std::span<const std::string> algorithms) {
  for (const std::string& name : algorithms) {
    if (!name.starts_with(kNativePrefix)) continue;
    const Status status = checkNative(collective, name.substr(std::string_view(kNativePrefix).size()));
    if (!status.isOk()) return Status::error("--algorithm: " + status.message());
  }
  return Status::ok();
}

std::unique_ptr<Subject> makeSubject(const SubjectChoice& choice, std::int64_t count, const std::string& label,
                                     const SubjectServices& services) {
  if (isNative(choice.algorithm)) return std::make_unique<NativeSubject>(choice.algorithm, services);
  if (services.collective != Collective::kAllreduce) return makeRootedSubject(choice, count, services);
  if (choice.choice) return makePlannedSubject(choice, count, services);
  return makeTunedSubject(label, services);
}

}  // namespace starling::bench
