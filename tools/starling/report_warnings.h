// What the reader of a report has to know of what it lacks.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "recording.h"
#include "summary/run_summary.h"

namespace starling::cli {

class RunWarnings {
 public:
  explicit RunWarnings(const RunSummary& summary);

  // REQUIRES: a key of that run.
  void add(const Evidence& evidence);
  // Notes that so many keys of all are shown, which are those that were added.
  void noteShown(std::size_t shown, std::size_t all);
  // Returns a sentence for each thing that is incomplete, printable().
  std::vector<std::string> sentences() const;

 private:
  using Sites = std::set<std::int64_t>;

  std::vector<std::string> of_run_;
  Sites unsettled_;
  Sites untimed_;
  Sites without_native_;
  Sites joined_;
  Sites by_elapsed_;
  Sites by_unknown_;
  bool is_any_counted_late_ = false;
  std::optional<double> clock_error_;  // the greatest
};

}  // namespace starling::cli
