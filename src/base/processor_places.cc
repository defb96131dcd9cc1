#include "base/processor_places.h"

#include "base/processor_files.h"

#ifdef STARLING_HAS_HWLOC
#include <hwloc.h>
#include <hwloc/glibc-sched.h>

#include <memory>
#include <utility>

namespace starling {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
  void operator()(hwloc_bitmap_t set) const { hwloc_bitmap_free(set); }
};
using Machine = std::unique_ptr<hwloc_topology, Destroy>;
using ProcessorSet = std::unique_ptr<hwloc_bitmap_s, Destroy>;

// Returns null where the system does not tell. What is not needed is not looked for, which takes time.
Machine lookAt(const std::string& synthetic) {
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) != 0) return nullptr;
  Machine machine(made);
  hwloc_topology_set_all_types_filter(machine.get(), HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const hwloc_obj_type_t type :
       {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_DIE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE}) {
    hwloc_topology_set_type_filter(machine.get(), type, HWLOC_TYPE_FILTER_KEEP_ALL);
  }
  // Parts of a package that have memory of their own are such groups.
  hwloc_topology_set_type_filter(machine.get(), HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
  if (!synthetic.empty() && hwloc_topology_set_synthetic(machine.get(), synthetic.c_str()) != 0) return nullptr;
  return hwloc_topology_load(machine.get()) == 0 ? std::move(machine) : nullptr;
}

// Returns the last cache before memory that all these processors share, else the package, or the part of it, that has
// them all; null: there is none.
hwloc_obj_t domainOf(hwloc_topology_t machine, hwloc_const_bitmap_t processors) {
  const hwloc_obj_t covering = hwloc_get_obj_covering_cpuset(machine, processors);
  hwloc_obj_t domain = nullptr;
  for (hwloc_obj_t object = covering; object != nullptr; object = object->parent) {
    if (hwloc_obj_type_is_dcache(object->type) != 0) domain = object;
  }
  if (domain != nullptr || covering == nullptr) return domain;
  return covering->type == HWLOC_OBJ_MACHINE ? nullptr : covering;
}

// Returns the number of the first processor of a set that is not empty.
std::int32_t firstProcessor(hwloc_topology_t machine, hwloc_const_bitmap_t set) {
  const hwloc_obj_t first = hwloc_get_next_obj_covering_cpuset_by_type(machine, set, HWLOC_OBJ_PU, nullptr);
  return first == nullptr ? 0 : static_cast<std::int32_t>(first->logical_index);
}

std::optional<ProcessorPlace> placeOn(hwloc_topology_t machine, const cpu_set_t& processors) {
  const ProcessorSet set(hwloc_bitmap_alloc());
  // Processors that the machine does not have count for none.
  if (!set || hwloc_cpuset_from_glibc_sched_affinity(machine, set.get(), &processors, sizeof processors) != 0) {
    return std::nullopt;
  }
  hwloc_bitmap_and(set.get(), set.get(), hwloc_topology_get_topology_cpuset(machine));
  if (hwloc_bitmap_iszero(set.get()) != 0) return std::nullopt;
  const hwloc_obj_t domain = domainOf(machine, set.get());
  if (domain == nullptr) return std::nullopt;
  return ProcessorPlace{firstProcessor(machine, domain->cpuset), firstProcessor(machine, set.get())};
}

class Library {
 public:
  explicit Library(const std::string& synthetic) : machine_(lookAt(synthetic)) {}
  bool knowsMachine() const { return machine_ != nullptr; }
  std::optional<ProcessorPlace> placeOf(const cpu_set_t& processors) const {
    return machine_ ? placeOn(machine_.get(), processors) : std::nullopt;
  }

 private:
  Machine machine_;
};

}  // namespace
}  // namespace starling

#else

namespace starling {
namespace {

class Library {
 public:
  explicit Library(const std::string&) {}
  static bool knowsMachine() { return false; }
  static std::optional<ProcessorPlace> placeOf(const cpu_set_t&) { return std::nullopt; }
};

}  // namespace
}  // namespace starling

#endif

namespace starling {

std::optional<ProcessorPlace> placeOf(const cpu_set_t& processors, const std::string& synthetic) {
  if (!synthetic.empty()) return Library(synthetic).placeOf(processors);
  // A program may still start Starling where its static objects are destroyed: these never are.
  static const auto& library = *new Library("");
  if (library.knowsMachine()) return library.placeOf(processors);
  static const auto& files = *new ProcessorFiles(ProcessorFiles::read("/sys/devices/system"));
  return files.placeOf(processors);
}

}  // namespace starling
