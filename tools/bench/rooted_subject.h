// Measures broadcasts and reductions: the MPI library's, and tuned_bcast and tuned_reduce, which learn meanwhile.
#pragma once

#include <memory>

#include "subject.h"

namespace starling::bench {

// In a broadcast the root's result vector holds the data from the beginning. REQUIRES: `choice` is native or tuned;
// services.collective is not kAllreduce.
std::unique_ptr<Subject> makeRootedSubject(const SubjectChoice& choice, const SubjectServices& services);

}  // namespace starling::bench
