/* An accelerator's driver without an accelerator: CUDA's, or with FAKE_HIP that of HIP, as far as it is asked about
 * memory. Memory "of the device" is closed to the host, so that touching it ends the program.
 *
 * Tests load this library in the ways in which programs load drivers, and call the functions named fake_ by dlsym. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { kDevice, kManaged, kRegisteredHost, kKinds };

/* One region of each kind, reserved when it is first asked for. */
enum { kRegionBytes = 1 << 20 };
static char* g_regions[kKinds];
static size_t g_used[kKinds];
static int g_queries = 0;
static int g_failing = 0;

/* Memory of a kind (0 device, 1 managed, 2 the host's, but known to the driver), aligned for any type; null when there
 * is no more. */
void* fake_allocate(int kind, size_t bytes) {
  if (g_regions[kind] == NULL) {
    const int protection = kind == kDevice ? PROT_NONE : PROT_READ | PROT_WRITE;
    void* region = mmap(NULL, kRegionBytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region == MAP_FAILED) return NULL;
    g_regions[kind] = region;
  }
  const size_t rounded = (bytes + 63) / 64 * 64;
  if (g_used[kind] + rounded > kRegionBytes) return NULL;
  g_used[kind] += rounded;
  return g_regions[kind] + g_used[kind] - rounded;
}

/* Copies from and to any memory, the device's too. Not for several threads. */
void fake_copy(void* to, const void* from, size_t bytes) {
  if (g_regions[kDevice] != NULL) mprotect(g_regions[kDevice], kRegionBytes, PROT_READ | PROT_WRITE);
  memcpy(to, from, bytes);
  if (g_regions[kDevice] != NULL) mprotect(g_regions[kDevice], kRegionBytes, PROT_NONE);
}

/* How often the driver was asked about an address. */
int fake_queries(void) { return __atomic_load_n(&g_queries, __ATOMIC_RELAXED); }

/* From now on every question is answered with an error, or not. */
void fake_fail(int failing) { g_failing = failing; }

static int kindOf(uintptr_t address) {
  __atomic_add_fetch(&g_queries, 1, __ATOMIC_RELAXED);
  for (int kind = 0; kind < kKinds; ++kind) {
    const uintptr_t begin = (uintptr_t)g_regions[kind];
    if (begin != 0 && address >= begin && address < begin + kRegionBytes) return kind;
  }
  return kKinds;
}

int fake_is_device(const void* address) { return kindOf((uintptr_t)address) == kDevice; }

#ifndef FAKE_HIP

int cuPointerGetAttributes(unsigned count, const int* attributes, void** data, uintptr_t pointer) {
  static const unsigned kTypes[] = {2 /* device */, 2, 1 /* host */, 0};
  const int kind = kindOf(pointer);
  if (g_failing) return 3; /* CUDA_ERROR_NOT_INITIALIZED */
  for (unsigned i = 0; i < count; ++i) {
    if (attributes[i] == 2) *(unsigned*)data[i] = kTypes[kind];
    if (attributes[i] == 8) *(unsigned char*)data[i] = kind == kManaged;
  }
  return 0;
}

#else

static int g_version = 60000000;
static __thread int g_last_error = 0;

void fake_set_version(int version) { g_version = version; }

int hipRuntimeGetVersion(int* version) {
  *version = g_version;
  return 0;
}

static int failed(void) { return g_last_error = 1; /* hipErrorInvalidValue */ }

int hipPointerGetAttribute(void* data, int attribute, void* pointer) {
  static const unsigned kTypes[] = {2 /* device */, 1 /* host: so it is for managed memory */, 1};
  static const unsigned kTypesUntil5[] = {1 /* device */, 0 /* host */, 0};
  const int kind = kindOf((uintptr_t)pointer);
  if (g_failing || kind == kKinds) return failed();
  if (attribute == 2) *(unsigned*)data = g_version < 60000000 ? kTypesUntil5[kind] : kTypes[kind];
  if (attribute == 8) *(unsigned char*)data = kind == kManaged;
  return 0;
}

int hipPeekAtLastError(void) { return g_last_error; }

int hipGetLastError(void) {
  const int error = g_last_error;
  g_last_error = 0;
  return error;
}

/* The program has made a mistake of its own. */
void fake_set_last_error(int error) { g_last_error = error; }

#endif
