#include "late_rank.h"

#include <fmt/format.h>

#include <charconv>

#include "units_parse.h"

namespace starling::cli {

Result<LateRank> parseLateRank(std::string_view text) {
  std::int32_t rank = -1;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), rank);
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (fault != std::errc() || rank < 0 || !rest.starts_with(":")) {
    return Status::error(fmt::format("'{}' is not a late rank: write RANK:DURATION, as in 3:50ms", text));
  }
  const Result<Seconds> lateness = parseDuration(rest.substr(1));
  if (!lateness.isOk()) return lateness.status();
  return LateRank{rank, lateness.value()};
}

}  // namespace starling::cli
