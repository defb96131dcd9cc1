#include "utc_time.h"

#include <fmt/format.h>

#include <ctime>

namespace starling::cli {

std::string formatUtc(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm date{};
  if (gmtime_r(&time, &date) == nullptr) return "-";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday, date.tm_hour,
                     date.tm_min);
}

}  // namespace starling::cli
