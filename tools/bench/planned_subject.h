// Measures one algorithm of the catalogue, without the tuner.
#pragma once

#include <memory>

#include "subject.h"

namespace starling::bench {

// REQUIRES: choice.choice.
std::unique_ptr<Subject> makePlannedSubject(const SubjectChoice& choice, std::int64_t count,
                                            const SubjectServices& services);

}  // namespace starling::bench
