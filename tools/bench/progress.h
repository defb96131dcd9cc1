// A bar that shows how far a long run is.
#pragma once

#include <cstdint>

namespace starling::bench {

// Draws on stderr if that is a terminal and the bar is `wanted`; else it does nothing.
class Progress {
 public:
  Progress(std::int64_t total, bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance();

 private:
  void draw() const;

  const std::int64_t total_;
  const bool drawn_;
  std::int64_t done_ = 0;
};

}  // namespace starling::bench
