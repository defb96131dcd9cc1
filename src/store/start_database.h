// A second database, which is only read: STARLING_START_DB names it.
#pragma once

#include <string>
#include <string_view>

namespace starling {

// What is said of databases tells how to mend it by STARLING_DB. Returns the same for the one to start from.
inline std::string namingStartDatabase(std::string message) {
  constexpr std::string_view kOwn = "STARLING_DB";
  constexpr std::string_view kStart = "STARLING_START_DB";
  for (std::size_t at = message.find(kOwn); at != std::string::npos; at = message.find(kOwn, at + kStart.size()))
    message.replace(at, kOwn.size(), kStart);
  return message;
}

}  // namespace starling
