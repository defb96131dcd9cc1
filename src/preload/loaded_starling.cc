#include "preload/loaded_starling.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "preload/symbols.h"

namespace starling {
namespace {

#ifdef OPEN_MPI
constexpr bool kIsForOpenMpi = true;
constexpr const char* kOwnMpi = "Open MPI";
#else
constexpr bool kIsForOpenMpi = false;
constexpr const char* kOwnMpi = "another MPI library than Open MPI";
#endif

// MPI libraries have been seen to write this much, and Starling's own mpi.h may know a shorter one.
constexpr int kLongestVersion = 8192;

std::atomic<const WrapperTable*> g_table{nullptr};
std::atomic<bool> g_has_failed{false};

bool isSilent() {
  const char* const verbosity = std::getenv("STARLING_VERBOSITY");
  return verbosity != nullptr && std::strcmp(verbosity, "silent") == 0;
}

const WrapperTable* fail(const char* what, const char* why, const char* remedy) {
  if (!g_has_failed.exchange(true) && !isSilent()) {
    std::fprintf(stderr, "starling: %s: %s; this program runs untuned; %s\n", what, why, remedy);
  }
  return nullptr;
}

// Two MPI libraries in one process would take each other's functions, so this is asked before Starling's is loaded.
bool isForeignMpi(const void* caller, char (&version)[kLongestVersion]) {
  using GetVersion = int (*)(char* version, int* length);
  const auto get_version = reinterpret_cast<GetVersion>(findNext("PMPI_Get_library_version", caller));
  int length = 0;
  if (get_version == nullptr || get_version(version, &length) != MPI_SUCCESS) return false;
  version[strcspn(version, "\n,")] = '\0';
  return (std::strncmp(version, "Open MPI", std::strlen("Open MPI")) == 0) != kIsForOpenMpi;
}

// By its bare name the linker finds a copy that is there already, and then looks beside this library. What Starling
// needs stays out of the program's sight.
void* openStarling() { return dlopen(STARLING_LIBRARY, RTLD_NOW | RTLD_LOCAL); }

const WrapperTable* load(const void* caller) {
  char version[kLongestVersion] = "";
  if (isForeignMpi(caller, version)) {
    char what[128];
    std::snprintf(what, sizeof(what), "Starling is built for %s", kOwnMpi);
    return fail(what, version, "build Starling with the MPI library of the program");
  }
  void* const library = openStarling();
  if (library == nullptr) {
    return fail(STARLING_LIBRARY " cannot be loaded", dlerror(), "install Starling and what it needs completely");
  }
  const auto get_table = reinterpret_cast<decltype(&starling_wrapper_table)>(dlsym(library, "starling_wrapper_table"));
  const WrapperTable* const table = get_table == nullptr ? nullptr : get_table(kWrapperTableVersion);
  if (table == nullptr) {
    return fail(STARLING_LIBRARY " cannot be used", "it is of another version than the preload library",
                "install both together");
  }
  g_table.store(table, std::memory_order_release);
  return table;
}

}  // namespace

const WrapperTable* loadedStarling() { return g_table.load(std::memory_order_acquire); }

const WrapperTable* loadStarling(const void* caller) {
  if (const WrapperTable* const table = loadedStarling()) return table;
  return g_has_failed.load() ? nullptr : load(caller);
}

void* findBesideStarling(const char* name) {
  void* const library = openStarling();
  return library == nullptr ? nullptr : dlsym(library, name);
}

}  // namespace starling
