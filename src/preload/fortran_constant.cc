#include "preload/fortran_constant.h"

#include <dlfcn.h>

#include "preload/loaded_starling.h"

namespace starling {

// The library's own variable may not be the one that it uses: the program's comes first, where it has that.
const void* FortranConstant::ofMpi() {
  if (const void* const known = of_mpi_.load(std::memory_order_acquire)) return known;
  const void* address = nullptr;
  for (const Spelling& spelling : spellings_) {
    const void* const own = findBesideStarling(spelling.name());
    if (own == nullptr) continue;
    const void* const seen = dlsym(RTLD_DEFAULT, spelling.name());
    address = seen != nullptr ? seen : own;
    break;
  }
  if (address == nullptr) address = spellings_[0].seenBy(nullptr);
  of_mpi_.store(address, std::memory_order_release);
  return address;
}

}  // namespace starling
