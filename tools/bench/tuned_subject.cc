#include "tuned_subject.h"

#include "starling/starling.h"

namespace starling::bench {
namespace {

// A key that has not settled by then is measured as it is.
constexpr int kLongestWarmup = 64;
// These are the calls of two epochs of the longest kind that a communicator begins with.
constexpr int kCallsToMeetAKey = 24;

class TunedSubject final : public Subject {
 public:
  TunedSubject(const std::string& label, const SubjectServices& services) : services_(services) {
    starling_site_create(services.world, label.c_str(), &site_);
  }
  ~TunedSubject() override { starling_site_free(&site_); }
  TunedSubject(const TunedSubject&) = delete;
  TunedSubject& operator=(const TunedSubject&) = delete;

  std::string algorithm() const override { return "tuned"; }
  std::string choice() const override { return "tuned"; }

  int run(const Buffers& buffers) override {
    ++calls_;
    bytes_ = buffers.count * services_.workload->elementSize().value;
    return tuned_allreduce_site(site_, buffers.input, buffers.result, buffers.count, services_.workload->datatype(),
                                services_.workload->operation());
  }

  bool wantsAnnouncements() const override { return true; }
  bool needsMoreWarmup() const override {
    const std::optional<starling_key_info> info = newestKey();
    // When there is no key by then, the library only passes calls through, as with one rank or when it is told to be
    // off.
    if (calls_ >= kLongestWarmup || (calls_ >= kCallsToMeetAKey && !info)) return false;
    return !info || info->settled == 0;
  }

  bool isSettled() const override {
    const std::optional<starling_key_info> info = newestKey();
    return info && info->settled != 0;
  }

  std::optional<std::string> chosen() const override {
    const std::optional<starling_key_info> info = newestKey();
    return info ? info->algorithm : "native";
  }

 private:
  // Keys are listed in the order in which they were met, and no later setting has been met yet.
  std::optional<starling_key_info> newestKey() const {
    int keys = 0;
    if (starling_key_count(services_.world, &keys) != STARLING_SUCCESS) return std::nullopt;
    for (int index = keys - 1; index >= known_keys_; --index) {
      starling_key_info info{};
      if (starling_query(services_.world, index, &info) == STARLING_SUCCESS && info.bytes == bytes_) return info;
    }
    return std::nullopt;
  }
  static int countKeys(MPI_Comm communicator) {
    int keys = 0;
    starling_key_count(communicator, &keys);
    return keys;
  }

  const SubjectServices services_;
  const int known_keys_ = countKeys(services_.world);
  starling_site site_ = nullptr;
  int calls_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<Subject> makeTunedSubject(const std::string& label, const SubjectServices& services) {
  return std::make_unique<TunedSubject>(label, services);
}

}  // namespace starling::bench
