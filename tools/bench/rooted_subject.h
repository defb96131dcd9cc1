// Broadcasts and reductions: the MPI library's, and tuned_bcast and tuned_reduce, which learn while they are measured.
#pragma once

#include <memory>

#include "subject.h"

namespace starling::bench {

// Of a broadcast the root's vector is the result at the beginning. REQUIRES: `choice` is native or tuned;
// services.collective is not kAllreduce.
std::unique_ptr<Subject> makeRootedSubject(const SubjectChoice& choice, const SubjectServices& services);

}  // namespace starling::bench
