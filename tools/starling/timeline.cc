#include "timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text_format.h"
#include "table.h"

namespace starling::cli {
namespace {

// Tells what happens to one rank within one character.
struct Cell {
  bool present = false;
  bool sends = false;
  bool receives = false;
  bool reduces = false;
};

char symbolOf(const Cell& cell, bool before_arrival) {
  if (cell.reduces) return cell.sends ? 'X' : '+';
  if (cell.receives) return cell.sends ? 'x' : 'r';
  if (cell.sends) return 's';
  if (cell.present) return '-';
  return before_arrival ? '.' : ' ';
}

class Grid {
 public:
  Grid(std::size_t ranks, std::size_t width, Seconds end)
      : width_(width), end_(end), rows_(ranks, std::vector<Cell>(width)) {}

  template <typename Mark>
  void mark(std::size_t row, Seconds from, Seconds to, Mark apply) {
    if (to <= from || end_.value <= 0.0) return;
    const double scale = static_cast<double>(width_) / end_.value;
    // The tiny slack is there because a hair's breadth of overlap is rounding, not activity.
    const auto first = static_cast<std::size_t>(std::max(0.0, std::floor(from.value * scale + 1e-6)));
    const auto last = static_cast<std::size_t>(std::max(0.0, std::ceil(to.value * scale - 1e-6)));
    for (std::size_t i = first; i < std::min(std::max(last, first + 1), width_); ++i) apply(rows_[row][i]);
  }

  std::string line(std::size_t row) const {
    std::string text;
    bool arrived = false;
    for (const Cell& cell : rows_[row]) {
      arrived = arrived || cell.present;
      text += symbolOf(cell, !arrived);
    }
    return text;
  }

 private:
  std::size_t width_;
  Seconds end_;
  std::vector<std::vector<Cell>> rows_;
};

std::string formatRanks(const SimulatedCall& call, std::span<const Seconds> arrivals,
                        std::span<const std::int32_t> table, Seconds end, std::size_t width) {
  std::string text;
  const std::vector<std::string> rows = timelineRows(call, arrivals, end, width);
  for (std::size_t i = 0; i < rows.size(); ++i) text += fmt::format("{:>4} ({:>4}) |{}|\n", i, table[i], rows[i]);
  return text;
}

}  // namespace

std::vector<std::string> timelineRows(const SimulatedCall& call, std::span<const Seconds> arrivals, Seconds end,
                                      std::size_t width) {
  Grid grid(arrivals.size(), width, end);
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    grid.mark(i, arrivals[i], call.exits[i], [](Cell& cell) { cell.present = true; });
  }
  for (const Transfer& transfer : call.transfers) {
    const bool reduces = transfer.kind == StepKind::kReduce;
    grid.mark(static_cast<std::size_t>(transfer.source), transfer.start, transfer.end,
              [](Cell& cell) { cell.sends = true; });
    grid.mark(static_cast<std::size_t>(transfer.target), transfer.start, transfer.end,
              [reduces](Cell& cell) { (reduces ? cell.reduces : cell.receives) = true; });
  }
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < arrivals.size(); ++i) rows.push_back(grid.line(i));
  return rows;
}

std::string formatTimeline(std::span<const Drawing> drawings, std::span<const Seconds> arrivals,
                           std::span<const std::int32_t> table, std::size_t width) {
  Seconds end;
  for (const Drawing& drawing : drawings) end = std::max(end, drawing.call->lastExit());
  std::string text = fmt::format("virtual rank (rank), 0 s to {}, {} per character\n", formatDuration(end),
                                 formatDuration(Seconds{end.value / static_cast<double>(width)}));
  for (const Drawing& drawing : drawings) {
    text += drawing.title + "\n" + formatRanks(*drawing.call, arrivals, table, end, width);
  }
  return text + ". not arrived   s sends   r receives   + receives and reduces   x = s and r   X = s and +   - waits\n";
}

std::string formatTransfers(const SimulatedCall& call, std::span<const std::int32_t> table) {
  Table lines({{"START", Align::kRight},
               {"END", Align::kRight},
               {"FROM", Align::kRight},
               {"TO", Align::kRight},
               {"ELEMENTS", Align::kRight},
               {"AND"}});
  for (const Transfer& transfer : call.transfers) {
    lines.addRow({formatDuration(transfer.start), formatDuration(transfer.end),
                  std::to_string(table[static_cast<std::size_t>(transfer.source)]),
                  std::to_string(table[static_cast<std::size_t>(transfer.target)]),
                  fmt::format("[{}, {})", transfer.block.offset, transfer.block.offset + transfer.block.count),
                  transfer.kind == StepKind::kReduce ? "reduces" : "keeps"});
  }
  return lines.text();
}

}  // namespace starling::cli
