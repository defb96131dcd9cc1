// Opens files whose names somebody else has written.
#pragma once

#include <string>

#include "base/descriptor.h"

namespace starling::cli {

// Returns the file, open to be read; not open, with errno set, where the name is not that of a plain file, or it cannot
// be read. A pipe would hold who opens it, and a device might do something. THREADS: any.
Descriptor openPlainFile(const std::string& path);

}  // namespace starling::cli
