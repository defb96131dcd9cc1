// What `starling watch` shows of a run that goes on: its summary above its sites, as lines for a screen of a given
// size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/units.h"
#include "listing.h"
#include "recording.h"
#include "summary/run_summary.h"

namespace starling::cli {

// What a user may ask for by a key.
enum class WatchKey : std::uint8_t { kQuit, kNextColumn, kPreviousColumn, kReverse, kUp, kDown, kPageUp, kPageDown };

// THREADS: not thread-safe.
class WatchView {
 public:
  // `interval` is told, not kept to. REQUIRES: checkRunChoice(run).isOk(); list.sort as arranged() requires.
  WatchView(std::string database, std::string run, ListOptions list, Seconds interval);

  // Reads the database anew, and waits so long for a writer. Where there is no file yet, or no run in it, that is shown
  // until there is. An error is shown, too, with what was read before, until it is gone. Errors: those of
  // Recording::open() and summarizeRun().
  Status refresh(Seconds patience = Reader::kPatience);

  void handle(WatchKey key);
  // Sorts by the column of this name from now on. REQUIRES: the list of sites has it.
  void sortBy(const std::string& column) { list_.sort = column; }

  // Returns at most `height` lines of at most `width` characters; how many rows they hold is what a page is.
  std::vector<TonedLine> lines(std::size_t width, std::size_t height);

 private:
  struct Contents {
    RunSummary summary;
    ListShape<RecordedKey> shape;
    std::vector<RecordedKey> keys;
  };

  Status read(Seconds patience);
  std::vector<TonedLine> heading(std::size_t width) const;
  std::vector<std::vector<TonedLine>> rows(std::size_t width) const;
  TonedLine keyLine() const;
  void moveColumn(std::ptrdiff_t step);

  std::string database_;
  std::string run_;
  ListOptions list_;
  Seconds interval_;
  std::optional<Contents> contents_;
  std::optional<std::int64_t> read_at_;  // seconds since 1970
  std::string awaited_ = "a run";        // that is not there yet; empty: nothing
  std::string fault_;                    // of the latest refresh()
  std::size_t first_ = 0;                // row that is shown
  std::size_t page_ = 1;                 // rows that lines() has shown
};

}  // namespace starling::cli
