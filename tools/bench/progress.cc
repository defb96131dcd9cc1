#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace starling::bench {
namespace {

constexpr std::int64_t kWidth = 40;  // characters

}  // namespace

Progress::Progress(std::int64_t total, bool wanted)
    : total_(std::max<std::int64_t>(total, 1)), drawn_(wanted && isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r{:{}}\r", "", kWidth + 24);
}

void Progress::advance() {
  done_ = std::min(done_ + 1, total_);
  if (drawn_) draw();
}

void Progress::draw() const {
  const auto filled = static_cast<std::size_t>(kWidth * done_ / total_);
  fmt::print(stderr, "\r[{:-<{}}] {}/{} calls", std::string(filled, '#'), kWidth, done_, total_);
  std::fflush(stderr);
}

}  // namespace starling::bench
