#include "preload/freeing.h"

#include "preload/loaded_starling.h"

namespace starling {

thread_local constinit const void* Freeing::g_innermost = nullptr;

int Freeing::by(MPI_Comm* comm, int (*free)(MPI_Comm* comm)) {
  const WrapperTable* const table = loadedStarling();
  if (table == nullptr || comm == nullptr) return free(comm);
  const Frame frame{*comm, g_innermost};
  int code = MPI_SUCCESS;
  const auto work = [&] { code = free(comm); };
  table->set_during(
      g_innermost, &frame, [](const void* context) { (*static_cast<const decltype(work)*>(context))(); }, &work);
  return code;
}

bool Freeing::isAmong(MPI_Comm comm) {
  for (auto frame = static_cast<const Frame*>(g_innermost); frame != nullptr;
       frame = static_cast<const Frame*>(frame->outer)) {
    if (frame->comm == comm) return true;
  }
  return false;
}

}  // namespace starling
