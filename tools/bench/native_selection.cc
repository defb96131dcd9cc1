#include "native_selection.h"

namespace starling::bench {

Status checkNative(const std::string& name) {
  if (name.empty()) return Status::ok();
  return Status::error("native:" + name +
                       " exists in the simulated cluster only; in Open MPI force an algorithm by --mca "
                       "coll_tuned_use_dynamic_rules 1 --mca coll_tuned_allreduce_algorithm N");
}

void selectNative(const std::string& /*name*/) {}

void selectUsual() {}

}  // namespace starling::bench
