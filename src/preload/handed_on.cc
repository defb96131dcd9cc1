#include "preload/handed_on.h"

#include "preload/loaded_starling.h"

namespace starling {

thread_local constinit int HandedOn::g_depth = 0;

void HandedOn::count(void (*work)(const void* context), const void* context) {
  loadedStarling()->count_during(g_depth, work, context);
}

}  // namespace starling
