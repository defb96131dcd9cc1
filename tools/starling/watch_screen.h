// The terminal as `starling watch` uses it: the whole screen, and keys without Enter.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "base/units.h"
#include "tone.h"

namespace starling::cli {

// While one lives the terminal belongs to it; a signal that ends the process gives it back first, as the end of its
// life does. THREADS: at most one in a process.
class WatchScreen {
 public:
  // Errors: stdin or stdout is no terminal, or one of a type that is not known.
  static Result<std::unique_ptr<WatchScreen>> open(bool has_colours);
  ~WatchScreen();
  WatchScreen(const WatchScreen&) = delete;
  WatchScreen& operator=(const WatchScreen&) = delete;

  std::size_t width() const;
  std::size_t height() const;
  void draw(const std::vector<TonedLine>& lines);

  // Waits so long at most for a key; empty: none came. It is a character, for arrows and page keys the one that does
  // the same in pagers (h j k l, b and a blank), or one of these.
  static constexpr int kResized = -1;
  static constexpr int kGone = -2;  // there is no terminal any more
  std::optional<int> wait(Seconds most);

 private:
  struct Terminal;
  explicit WatchScreen(std::unique_ptr<Terminal> terminal);
  std::unique_ptr<Terminal> terminal_;
};

}  // namespace starling::cli
