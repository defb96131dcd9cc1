// Makes text of unknown origin safe to show to people.
#pragma once

#include <string>
#include <string_view>

namespace starling {

// Returns the same text, in which nothing acts on a terminal, breaks the line or hides: control characters, characters
// that cannot be seen or that turn the direction of writing, and bytes that are no UTF-8 become visible escapes, as in
// \x1b and \u202e. Text without these stays as it is, backslashes too, so that applying it twice does no harm.
std::string printable(std::string_view text);

// Quotes the text so that it is one word for a shell.
std::string quotedForShell(std::string_view text);

}  // namespace starling
