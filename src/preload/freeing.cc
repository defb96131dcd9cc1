#include "preload/freeing.h"

#include "preload/loaded_starling.h"

namespace starling {

thread_local constinit int Freeing::g_depth = 0;
thread_local constinit MPI_Comm Freeing::g_comm{};

// A callback that frees another communicator leaves that one alone which is being freed.
int Freeing::by(MPI_Comm* comm, int (*free)(MPI_Comm* comm)) {
  const WrapperTable* const table = loadedStarling();
  if (table == nullptr || comm == nullptr) return free(comm);
  struct Call {
    MPI_Comm* comm;
    int (*free)(MPI_Comm* comm);
    mutable int code;
  };
  const Call call{comm, free, MPI_SUCCESS};
  const MPI_Comm outer = g_comm;
  g_comm = *comm;
  table->count_during(
      g_depth,
      [](const void* context) {
        const Call& made = *static_cast<const Call*>(context);
        made.code = made.free(made.comm);
      },
      &call);
  g_comm = outer;
  return call.code;
}

}  // namespace starling
