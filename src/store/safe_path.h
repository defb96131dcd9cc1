// Finds paths of files that nobody else can exchange.
#pragma once

#include <string>

#include "base/status.h"

namespace starling {

// Returns the path by which to open `path`: its folder without symbolic links, then its own name. It refuses what a
// stranger, who is any user but this one and root, could have laid there or can exchange:
// - the file itself, or SQLite's files beside it, being a symbolic link, no plain file, or one that everybody may write
// to;
// - a folder of a stranger's, or one that everybody may write to. In one where everybody may only remove what is his
//   (sticky, as /tmp) a file must be this user's own;
// - a symbolic link of a stranger's on the way to the folder.
// A folder that its group may write to is taken: who shares a database with a group trusts it. What is not there yet is
// no fault. The look and the opening are two steps, so that opening has to refuse links as well, and a new file in a
// shared folder wants a second look.
// The error is the explanation that follows "cannot open <path>:".
Result<std::string> safePath(const std::string& path);

}  // namespace starling
