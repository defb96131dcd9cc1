#include "preload/fortran_constant.h"

#include <algorithm>
#include <iterator>

#include "preload/loaded_starling.h"

namespace starling {

// The library's own variable may not be the one that it uses: the program's comes first.
const void* FortranConstant::ofMpi() {
  if (const void* const known = of_mpi_.load(std::memory_order_acquire)) return known;
  const auto is_of_mpi = [](const Spelling& spelling) { return findBesideStarling(spelling.name()) != nullptr; };
  Spelling* const found = std::find_if(std::begin(spellings_), std::end(spellings_), is_of_mpi);
  const void* const address = (found != std::end(spellings_) ? found : spellings_)->seenBy(nullptr);
  of_mpi_.store(address, std::memory_order_release);
  return address;
}

}  // namespace starling
