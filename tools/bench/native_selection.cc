#include "native_selection.h"

#include <fmt/format.h>

namespace starling::bench {

Status checkNative(Collective collective, const std::string& name) {
  if (name.empty()) return Status::ok();
  return Status::error(
      fmt::format("native:{} exists in the simulated cluster only; in Open MPI force an algorithm by --mca "
                  "coll_tuned_use_dynamic_rules 1 --mca coll_tuned_{}_algorithm N",
                  name, collectiveName(collective)));
}

void selectNative(Collective /*collective*/, const std::string& /*name*/) {}

void selectUsual(Collective /*collective*/) {}

}  // namespace starling::bench
