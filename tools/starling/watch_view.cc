#include "watch_view.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <utility>

#include "base/printable.h"
#include "base/text_format.h"
#include "site_list.h"
#include "summary/summary_text.h"

namespace starling::cli {
namespace {

constexpr const char* kUsualOrder = "seconds";
// So many lines of sites are shown where the screen has them, whatever else there is to say.
constexpr std::size_t kLeastLines = 4;

void appendBroken(const std::string& text, Tone tone, std::size_t width, std::vector<TonedLine>& lines) {
  for (std::string& line : brokenLines(printable(text), width)) lines.push_back({{tone, std::move(line)}});
}

}  // namespace

WatchView::WatchView(std::string database, std::string run, ListOptions list, Seconds interval)
    : database_(std::move(database)), run_(std::move(run)), list_(std::move(list)), interval_(interval) {
  if (list_.sort.empty()) list_.sort = kUsualOrder;
}

Status WatchView::refresh(Seconds patience) {
  Status status = read(patience);
  fault_ = status.message();
  return status;
}

Status WatchView::read(Seconds patience) {
  std::error_code unknown;
  awaited_.clear();
  const bool exists = std::filesystem::exists(database_, unknown) || unknown;
  // The writer makes an empty file before it fills it.
  if (!exists || (std::filesystem::file_size(database_, unknown) == 0 && !unknown)) {
    awaited_ = "the file, which a run makes";
    return Status::ok();
  }
  {
    const Result<Reader> reader = Reader::open(database_, patience);
    if (!reader.isOk()) return reader.status();
    const Result<std::vector<RunRow>> runs = reader.value().runs();
    if (!runs.isOk()) return runs.status();
    if (runs.value().empty()) {
      awaited_ = "a run";
      return Status::ok();
    }
  }
  const Result<Recording> recording = Recording::open(database_, run_, patience);
  if (!recording.isOk()) return recording.status();
  Result<RunSummary> summary = summarizeRun(recording.value().reader(), recording.value().runs().back());
  if (!summary.isOk()) return summary.status();
  contents_ = {std::move(summary).value(), sitesShape(recording.value()), recording.value().keys()};
  read_at_ = std::time(nullptr);
  return Status::ok();
}

void WatchView::moveColumn(std::ptrdiff_t step) {
  if (!contents_) return;
  std::vector<ColumnName> names;
  std::ptrdiff_t place = 0;
  for (const ListColumn<RecordedKey>& column : contents_->shape.columns) {
    if (!column.is_shown) continue;
    if (isNamed({column.title, column.field}, list_.sort)) place = std::ssize(names);
    names.push_back({column.title, column.field});
  }
  const std::ptrdiff_t next = (place + step + std::ssize(names)) % std::ssize(names);
  list_.sort = names[static_cast<std::size_t>(next)].field;
}

void WatchView::handle(WatchKey key) {
  switch (key) {
    case WatchKey::kNextColumn:
      return moveColumn(1);
    case WatchKey::kPreviousColumn:
      return moveColumn(-1);
    case WatchKey::kReverse:
      list_.is_reversed = !list_.is_reversed;
      return;
    case WatchKey::kUp:
      first_ -= std::min<std::size_t>(first_, 1);
      return;
    case WatchKey::kDown:
      ++first_;
      return;
    case WatchKey::kPageUp:
      first_ -= std::min(first_, page_);
      return;
    case WatchKey::kPageDown:
      first_ += page_;
      return;
    case WatchKey::kQuit:
      return;
  }
}

std::vector<TonedLine> WatchView::heading(std::size_t width) const {
  std::vector<TonedLine> lines;
  const std::string when = read_at_ ? fmt::format("read at {:%H:%M:%S} and ", fmt::localtime(*read_at_)) : "read ";
  appendBroken(fmt::format("{}, {}every {}", database_, when, formatDuration(interval_)), Tone::kPlain, width, lines);
  if (!awaited_.empty()) appendBroken("waiting for " + awaited_, Tone::kOpen, width, lines);
  if (!fault_.empty()) appendBroken("not read: " + fault_, Tone::kBad, width, lines);
  if (!contents_) return lines;
  const bool has_ended = contents_->summary.run.finished.has_value();
  appendBroken(has_ended ? "The run has ended." : "The run goes on, or was ended before MPI_Finalize.",
               has_ended ? Tone::kGood : Tone::kOpen, width, lines);
  for (const std::string& line : summaryLines(contents_->summary, false)) {
    appendBroken(line, Tone::kPlain, width, lines);
  }
  lines.emplace_back();
  return lines;
}

// The titles and all rows; none before something was read.
std::vector<std::vector<TonedLine>> WatchView::rows(std::size_t width) const {
  if (!contents_) return {};
  return tableOf(contents_->shape, arranged(contents_->shape, contents_->keys, list_)).rowsWithin(width);
}

TonedLine WatchView::keyLine() const {
  std::string order;
  for (const ListColumn<RecordedKey>& column : contents_ ? contents_->shape.columns : sitesShape().columns) {
    if (isNamed({column.title, column.field}, list_.sort)) order = column.title;
  }
  return {{Tone::kTitle, fmt::format("q: quit  < >: column  r: reverse  arrows: scroll  sorted by {}{}", order,
                                     list_.is_reversed ? ", reversed" : "")}};
}

std::vector<TonedLine> WatchView::lines(std::size_t width, std::size_t height) {
  if (height == 0) return {};
  const std::size_t room = height - 1;  // above the line of keys
  std::vector<TonedLine> shown = heading(width);
  const std::vector<std::vector<TonedLine>> all = rows(width);
  if (!all.empty()) {
    first_ = std::min(first_, all.size() - 1 - (all.size() > 1 ? 1 : 0));
    // Where there is little room the sites come first.
    const std::size_t of_sites = all.front().size() + std::min<std::size_t>(kLeastLines, room);
    shown.resize(std::min(shown.size(), room - std::min(room, of_sites)));
    shown.insert(shown.end(), all.front().begin(), all.front().end());
  }
  page_ = 0;
  for (std::size_t row = first_ + 1; row < all.size() && shown.size() < room; ++row) {
    if (page_ > 0 && shown.size() + all[row].size() > room) break;
    shown.insert(shown.end(), all[row].begin(), all[row].end());
    ++page_;
  }
  page_ = std::max<std::size_t>(page_, 1);
  shown.resize(room);
  shown.push_back(keyLine());
  shown.back().front().text.resize(std::min(shown.back().front().text.size(), width));
  return shown;
}

}  // namespace starling::cli
