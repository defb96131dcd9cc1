// Measures broadcasts and reductions: tuned_bcast and tuned_reduce, which learn meanwhile, and the plans that they
// would make if they knew what --predict tells.
#pragma once

#include <cstdint>
#include <memory>

#include "subject.h"

namespace starling::bench {

// In a broadcast the root's result vector holds the data from the beginning. REQUIRES: `choice` is planned or tuned;
// services.collective is not kAllreduce.
std::unique_ptr<Subject> makeRootedSubject(const SubjectChoice& choice, std::int64_t count,
                                           const SubjectServices& services);

}  // namespace starling::bench
