// Sets of processors for tests.
#pragma once

#include <sched.h>

#include <initializer_list>

namespace starling {

inline cpu_set_t setOf(std::initializer_list<int> processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) CPU_SET(processor, &set);
  return set;
}

}  // namespace starling
