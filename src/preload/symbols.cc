#include "preload/symbols.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "preload/loaded_starling.h"

namespace starling {
namespace {

bool isOfThisLibrary(const void* address) {
  static constexpr char kHere = 0;
  Dl_info here;
  Dl_info there;
  return dladdr(&kHere, &here) != 0 && dladdr(address, &there) != 0 && here.dli_fbase == there.dli_fbase;
}

// Finds it in the library that `caller` is in and in those that this one needs.
void* findNear(const char* name, const void* caller) {
  Dl_info library;
  if (caller == nullptr || dladdr(caller, &library) == 0 || library.dli_fname == nullptr) return nullptr;
  void* const handle = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* const address = dlsym(handle, name);
  dlclose(handle);
  return address;
}

}  // namespace

void* findVariable(const char* name, const void* caller) {
  static char nowhere = 0;
  if (void* const address = dlsym(RTLD_DEFAULT, name)) return address;
  void* const address = findNear(name, caller);
  return address != nullptr ? address : &nowhere;
}

void* findNext(const char* name, const void* caller) {
  if (void* const address = dlsym(RTLD_NEXT, name)) return address;
  // A library that was linked with this one finds it here, too.
  void* const address = findNear(name, caller);
  return address != nullptr && !isOfThisLibrary(address) ? address : nullptr;
}

void* requireNext(const char* name, const void* caller) {
  if (void* const address = findNext(name, caller)) return address;
  if (void* const address = findBesideStarling(name)) return address;
  std::fprintf(stderr, "starling: this process called %s, which no library of it defines: link it with MPI\n", name);
  std::abort();
}

}  // namespace starling
