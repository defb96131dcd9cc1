#include "watch_screen.h"

// Its macros have names such as `move` and `timeout`.
#define NCURSES_NOMACROS
#include <curses.h>
#include <langinfo.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace starling::cli {
namespace {

// Pairs of colours by their number, which is that of the tone.
constexpr struct {
  Tone tone;
  short colour;
} kColours[] = {{Tone::kGood, COLOR_GREEN}, {Tone::kOpen, COLOR_YELLOW}, {Tone::kBad, COLOR_RED}};

// A lone escape is taken for one, and not for the begin of a sequence, after so many milliseconds.
constexpr int kEscapeDelay = 25;

// Gives the terminal back, as curses itself does at SIGINT and SIGTERM, and ends the process as the signal does.
void giveBack(int signal) {
  ::endwin();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

bool canMoveCursor() {
  const char* const move = ::tigetstr("cup");
  return move != nullptr && move != reinterpret_cast<const char*>(-1);
}

// Without a terminal no key is waited for.
bool isGone() {
  pollfd keys{STDIN_FILENO, POLLIN, 0};
  return ::poll(&keys, 1, 0) > 0 && (keys.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

}  // namespace

struct WatchScreen::Terminal {
  SCREEN* screen = nullptr;
  bool has_colours = false;
};

Result<std::unique_ptr<WatchScreen>> WatchScreen::open(bool has_colours) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) {
    return Status::error("watch needs a terminal, for keys and for its screen: `starling sites` prints the table once");
  }
  // All text is UTF-8, whatever the user's language is.
  if (std::setlocale(LC_CTYPE, "") == nullptr || std::string_view(::nl_langinfo(CODESET)) != "UTF-8") {
    std::setlocale(LC_CTYPE, "C.UTF-8");
  }
  // The terminal knows its size; these may be of another one.
  ::unsetenv("LINES");
  ::unsetenv("COLUMNS");
  SCREEN* const screen = ::newterm(nullptr, stdout, stdin);
  if (screen != nullptr && !canMoveCursor()) {
    ::endwin();
    ::delscreen(screen);
    return Status::error("this terminal cannot place text (TERM is 'dumb' or like it): use `starling sites`");
  }
  if (screen == nullptr) {
    const char* const type = std::getenv("TERM");
    return Status::error("the terminal's type is not known (TERM is " +
                         (type == nullptr ? std::string("not set") : "'" + std::string(type) + "'") +
                         "): set TERM, for example to xterm, or use `starling sites`");
  }
  for (const int signal : {SIGHUP, SIGQUIT}) {
    if (std::signal(signal, giveBack) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
  auto terminal = std::make_unique<Terminal>(Terminal{screen, has_colours && ::has_colors()});
  ::cbreak();
  ::noecho();
  ::curs_set(0);
  ::keypad(::stdscr, true);
  ::set_escdelay(kEscapeDelay);
  if (terminal->has_colours) {
    ::start_color();
    ::use_default_colors();
    for (const auto& [tone, colour] : kColours) ::init_pair(static_cast<short>(tone), colour, -1);
  }
  return std::unique_ptr<WatchScreen>(new WatchScreen(std::move(terminal)));
}

WatchScreen::WatchScreen(std::unique_ptr<Terminal> terminal) : terminal_(std::move(terminal)) {}

WatchScreen::~WatchScreen() {
  ::endwin();
  ::delscreen(terminal_->screen);
}

std::size_t WatchScreen::width() const { return static_cast<std::size_t>(::getmaxx(::stdscr)); }
std::size_t WatchScreen::height() const { return static_cast<std::size_t>(::getmaxy(::stdscr)); }

void WatchScreen::draw(const std::vector<TonedLine>& lines) {
  ::erase();
  for (std::size_t row = 0; row < lines.size(); ++row) {
    ::move(static_cast<int>(row), 0);
    for (const TonedText& piece : lines[row]) {
      int look = piece.tone == Tone::kTitle ? static_cast<int>(A_BOLD) : static_cast<int>(A_NORMAL);
      for (const auto& [tone, colour] : kColours) {
        if (terminal_->has_colours && piece.tone == tone) look = ::COLOR_PAIR(static_cast<int>(tone));
      }
      ::attrset(look);
      ::addstr(piece.text.c_str());
    }
  }
  ::attrset(static_cast<int>(A_NORMAL));
  ::refresh();
}

std::optional<int> WatchScreen::wait(Seconds most) {
  ::timeout(static_cast<int>(std::ceil(1e3 * std::max(most.value, 0.0))));
  switch (const int key = ::getch()) {
    case ERR:
      return isGone() ? std::optional(kGone) : std::nullopt;
    case KEY_RESIZE:
      return kResized;
    case KEY_UP:
      return 'k';
    case KEY_DOWN:
      return 'j';
    case KEY_LEFT:
      return 'h';
    case KEY_RIGHT:
      return 'l';
    case KEY_PPAGE:
      return 'b';
    case KEY_NPAGE:
      return ' ';
    default:
      return key;
  }
}

}  // namespace starling::cli
