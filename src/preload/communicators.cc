// MPI's functions that create communicators, or windows and files, which have one: while they go on, Starling creates
// none of its own. (Of those that wait for another program, as MPI_Comm_accept does, nothing of the kind has been
// seen.) And those that free communicators: calls on these are left to the MPI library meanwhile. For C and C++
// programs.
#include "preload/freeing.h"
#include "preload/loaded_starling.h"
#include "preload/symbols.h"

namespace starling {
namespace {

// Calls the next function, counted among the creations that are under way.
template <typename Call>
int create(const Call& call) {
  const WrapperTable* const table = loadedStarling();
  if (table == nullptr) return call();
  int code = MPI_SUCCESS;
  const auto work = [&] { code = call(); };
  table->create([](const void* context) { (*static_cast<const decltype(work)*>(context))(); }, &work);
  return code;
}

void noteLastingCreation() {
  if (const WrapperTable* const table = loadedStarling()) table->note_lasting_creation();
}

constinit NextFunction<int (*)(MPI_Comm comm, MPI_Comm* created, MPI_Request* request)> g_idup{"MPI_Comm_idup"};
#if MPI_VERSION >= 4
constinit NextFunction<int (*)(MPI_Comm comm, MPI_Info info, MPI_Comm* created, MPI_Request* request)> g_idup_with_info{
    "MPI_Comm_idup_with_info"};
#endif
constinit NextFunction<int (*)(MPI_Comm* comm)> g_free{"MPI_Comm_free"};
constinit NextFunction<int (*)(MPI_Comm* comm)> g_disconnect{"MPI_Comm_disconnect"};

}  // namespace
}  // namespace starling

// Defines one function that creates something of these parameters, which are handed on as arguments.
#define STARLING_CREATION(name, parameters, arguments)                      \
  extern "C" STARLING_EXPORT int name parameters {                          \
    static constinit starling::NextFunction<decltype(&(name))> next{#name}; \
    const auto go_on = next.seenBy(__builtin_return_address(0));            \
    return starling::create([&] { return go_on arguments; });               \
  }

STARLING_CREATION(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm* created), (comm, created))
STARLING_CREATION(MPI_Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* created), (comm, info, created))
STARLING_CREATION(MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* created), (comm, group, created))
STARLING_CREATION(MPI_Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* created),
                  (comm, group, tag, created))
STARLING_CREATION(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* created), (comm, color, key, created))
STARLING_CREATION(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* created),
                  (comm, type, key, info, created))
STARLING_CREATION(MPI_Cart_create,
                  (MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int reorder,
                   MPI_Comm* created),
                  (comm, dimensions, sizes, periods, reorder, created))
STARLING_CREATION(MPI_Cart_sub, (MPI_Comm comm, const int kept[], MPI_Comm* created), (comm, kept, created))
STARLING_CREATION(MPI_Graph_create,
                  (MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder, MPI_Comm* created),
                  (comm, nodes, index, edges, reorder, created))
STARLING_CREATION(MPI_Dist_graph_create,
                  (MPI_Comm comm, int count, const int nodes[], const int degrees[], const int targets[],
                   const int weights[], MPI_Info info, int reorder, MPI_Comm* created),
                  (comm, count, nodes, degrees, targets, weights, info, reorder, created))
STARLING_CREATION(MPI_Dist_graph_create_adjacent,
                  (MPI_Comm comm, int in, const int sources[], const int source_weights[], int out, const int targets[],
                   const int target_weights[], MPI_Info info, int reorder, MPI_Comm* created),
                  (comm, in, sources, source_weights, out, targets, target_weights, info, reorder, created))
STARLING_CREATION(MPI_Intercomm_create,
                  (MPI_Comm local, int local_leader, MPI_Comm bridge, int remote_leader, int tag, MPI_Comm* created),
                  (local, local_leader, bridge, remote_leader, tag, created))
STARLING_CREATION(MPI_Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm* created), (comm, high, created))
STARLING_CREATION(MPI_Win_create, (void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* created),
                  (base, size, unit, info, comm, created))
STARLING_CREATION(MPI_Win_allocate,
                  (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* created),
                  (size, unit, info, comm, base, created))
STARLING_CREATION(MPI_Win_allocate_shared,
                  (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* created),
                  (size, unit, info, comm, base, created))
STARLING_CREATION(MPI_File_open, (MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* opened),
                  (comm, name, mode, info, opened))
STARLING_CREATION(MPI_Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win* created), (info, comm, created))

extern "C" {

STARLING_EXPORT int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* created, MPI_Request* request) {
  starling::noteLastingCreation();
  return starling::g_idup.seenBy(__builtin_return_address(0))(comm, created, request);
}

#if MPI_VERSION >= 4
STARLING_EXPORT int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* created, MPI_Request* request) {
  starling::noteLastingCreation();
  return starling::g_idup_with_info.seenBy(__builtin_return_address(0))(comm, info, created, request);
}
#endif

STARLING_EXPORT int MPI_Comm_free(MPI_Comm* comm) {
  return starling::Freeing::by(comm, starling::g_free.seenBy(__builtin_return_address(0)));
}

STARLING_EXPORT int MPI_Comm_disconnect(MPI_Comm* comm) {
  return starling::Freeing::by(comm, starling::g_disconnect.seenBy(__builtin_return_address(0)));
}
}
