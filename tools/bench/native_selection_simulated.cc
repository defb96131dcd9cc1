// SimGrid SMPI holds the decision tables of other MPI libraries.
#include <algorithm>
#include <array>

#include "native_selection.h"

namespace simgrid::smpi::colls {
// libsimgrid exports this function but declares it in no public header; it does what --cfg=smpi/allreduce sets.
void set_allreduce(const std::string& name);
}  // namespace simgrid::smpi::colls

namespace starling::bench {
namespace {

constexpr std::array<const char*, 4> kSelectors{"ompi", "mpich", "mvapich2", "impi"};

}  // namespace

Status checkNative(const std::string& name) {
  if (name.empty() || std::find(kSelectors.begin(), kSelectors.end(), name) != kSelectors.end()) return Status::ok();
  std::string known;
  for (const char* selector : kSelectors) known += std::string(known.empty() ? "" : ", ") + "native:" + selector;
  return Status::error("there is no native:" + name + " here: use one of " + known);
}

void selectNative(const std::string& name) {
  // The simulator's own default is a naive algorithm of no library.
  simgrid::smpi::colls::set_allreduce(name.empty() ? kSelectors.front() : name);
}

void selectUsual() { simgrid::smpi::colls::set_allreduce("rdb"); }

}  // namespace starling::bench
