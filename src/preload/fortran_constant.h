// Finds the variables of Fortran's MPI whose addresses have a meaning.
#pragma once

#include <algorithm>
#include <atomic>
#include <iterator>

#include "preload/symbols.h"

namespace starling {

// Such a variable in the spellings that compilers give its name, as they do to routines (fortran_names.inc). The
// program has that of its compiler. The MPI library has that of the compiler it was built with, and recognises no
// other. THREADS: any.
class FortranConstant {
 public:
  constexpr FortranConstant(const char* one_underscore, const char* none, const char* two, const char* upper_case)
      : spellings_{Spelling(one_underscore), Spelling(none), Spelling(two), Spelling(upper_case)} {}

  // Returns whether it is at this address in one of its spellings; `caller` is what Symbol::seenBy() takes.
  bool isAt(const void* address, const void* caller) {
    return std::any_of(std::begin(spellings_), std::end(spellings_),
                       [&](Spelling& spelling) { return spelling.seenBy(caller) == address; });
  }

  // Returns the address that the MPI library recognises. REQUIRES: loadedStarling().
  const void* ofMpi();

 private:
  using Spelling = Symbol<const void*, findVariable>;

  Spelling spellings_[4];
  std::atomic<const void*> of_mpi_{nullptr};
};

}  // namespace starling
