// Measures tuned_allreduce, which learns meanwhile.
#pragma once

#include <memory>
#include <string>

#include "subject.h"

namespace starling::bench {

// `label` names the site, so that each setting is learned apart.
std::unique_ptr<Subject> makeTunedSubject(const std::string& label, const SubjectServices& services);

}  // namespace starling::bench
