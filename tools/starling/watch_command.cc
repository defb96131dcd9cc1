#include <signal.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "command_options.h"
#include "commands.h"
#include "site_list.h"
#include "units_parse.h"
#include "watch_screen.h"
#include "watch_view.h"

namespace starling::cli {
namespace {

constexpr Seconds kLeastInterval{0.1};
constexpr Seconds kMostInterval{3600.0};
// Keys are not heeded for so long where a writer has the database.
constexpr Seconds kPatience{0.1};

struct WatchArguments {
  std::string run = "latest";
  std::string interval = "2s";
  ListOptions list;
};

std::string faultOfInterval(const std::string& text) {
  const Result<Seconds> interval = parseDuration(text);
  if (!interval.isOk()) return interval.status().message();
  if (interval.value() < kLeastInterval || interval.value() > kMostInterval) {
    return "'" + text + "' is not between 100ms and 3600s";
  }
  return "";
}

constexpr struct {
  char key;
  WatchKey asks;
} kKeys[] = {{'q', WatchKey::kQuit},           {'Q', WatchKey::kQuit},
             {'>', WatchKey::kNextColumn},     {'l', WatchKey::kNextColumn},
             {'<', WatchKey::kPreviousColumn}, {'h', WatchKey::kPreviousColumn},
             {'r', WatchKey::kReverse},        {'k', WatchKey::kUp},
             {'j', WatchKey::kDown},           {'b', WatchKey::kPageUp},
             {' ', WatchKey::kPageDown}};

// Letters that sort by a column at once.
constexpr struct {
  char key;
  const char* column;
} kColumnKeys[] = {{'s', "site"},      {'c', "calls"},     {'t', "seconds"},
                   {'i', "imbalance"}, {'a', "algorithm"}, {'g', "gain"}};

// A process that was stopped while it reads would keep writers out for as long as it stands still.
class UnstoppedWhile {
 public:
  UnstoppedWhile() {
    sigset_t stops;
    ::sigemptyset(&stops);
    for (const int signal : {SIGTSTP, SIGTTIN, SIGTTOU}) ::sigaddset(&stops, signal);
    ::pthread_sigmask(SIG_BLOCK, &stops, &before_);
  }
  ~UnstoppedWhile() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  UnstoppedWhile(const UnstoppedWhile&) = delete;
  UnstoppedWhile& operator=(const UnstoppedWhile&) = delete;

 private:
  sigset_t before_{};
};

Status refreshed(WatchView& view, Seconds patience) {
  const UnstoppedWhile reading;
  return view.refresh(patience);
}

// Returns false where the user quits.
bool obey(int key, WatchView& view) {
  for (const auto& [letter, column] : kColumnKeys) {
    if (key == letter) view.sortBy(column);
  }
  for (const auto& [letter, asks] : kKeys) {
    if (key != letter) continue;
    if (asks == WatchKey::kQuit) return false;
    view.handle(asks);
  }
  return true;
}

Outcome watch(const WatchArguments& arguments, const std::string& database, const Look& look) {
  using Clock = std::chrono::steady_clock;
  const Seconds interval = parseDuration(arguments.interval).value();
  WatchView view(database, arguments.run, arguments.list, interval);
  // What is wrong from the start, as a file of something else, will not become right.
  if (const Status status = refreshed(view, Reader::kPatience); !status.isOk()) return Outcome::fault(status);
  Result<std::unique_ptr<WatchScreen>> opened = WatchScreen::open(look.has_colours);
  if (!opened.isOk()) return Outcome::usage(opened.status().message());
  WatchScreen& screen = *opened.value();
  Clock::time_point read = Clock::now();
  while (true) {
    screen.draw(view.lines(screen.width(), screen.height()));
    const Seconds left = interval - Seconds{std::chrono::duration<double>(Clock::now() - read).count()};
    std::optional<int> key = screen.wait(left);
    const bool is_due = !key;
    for (; key; key = screen.wait({})) {  // all that was typed, before it is drawn
      if (key == WatchScreen::kGone) return Outcome::fault("the terminal is gone");
      if (!obey(*key, view)) return Outcome::ok();
    }
    if (!is_due) continue;
    static_cast<void>(refreshed(view, kPatience));  // the view shows what failed
    read = Clock::now();
  }
}

}  // namespace

Action setUpWatch(CLI::App& command, const Globals& globals) {
  const auto arguments = std::make_shared<WatchArguments>();
  addSingleRunOption(command, arguments->run, "watched");
  command.add_option("--interval", arguments->interval, "Read the database so often: 100ms to 3600s (default: 2s)")
      ->option_text("TIME")
      ->check(faultOfInterval);
  addSortOptions(command, arguments->list, sitesShape().names());
  command.footer(
      "The table of `starling sites` while a job runs, below the sentences of `starling summary`. A job writes every\n"
      "STARLING_FLUSH_INTERVAL seconds, or up to five times as seldom. Keys: q quits; < and > sort by the column\n"
      "before and behind, as the arrows to the left and right do; s c t i a g sort by SITE, CALLS, TIME, IMBALANCE,\n"
      "ALGORITHM, GAIN; r turns the order round; the other arrows and the page keys scroll.");
  return [arguments, &globals] { return watch(*arguments, globals.databaseInForce(), globals.look()); };
}

}  // namespace starling::cli
