// What was learned by former builds of what is loaded now.
#pragma once

#include <vector>

#include "mpi/machine/site_names.h"
#include "store/records.h"

namespace starling {

// Returns the policies without those of sites whose module is loaded in another build: no call of this run comes from
// there, unless another module of that file name is loaded later. Where nothing else is known of calls of a size class,
// type, operation and number of ranks, and all sites of the former build whose policy comes first had the same choice
// and table, what that build learned last stays as a policy of the site "any", since its calls are likely to be those
// of now. These come last. THREADS: any.
std::vector<PolicyRecord> withoutFormerBuilds(std::vector<PolicyRecord> policies, const LoadedBuilds& loaded);

}  // namespace starling
