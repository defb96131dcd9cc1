#include "preload/handed_on.h"

namespace starling {

thread_local constinit int HandedOn::g_depth = 0;

}  // namespace starling
