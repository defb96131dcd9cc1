#include "base/log.h"

#include <atomic>
#include <cstdio>
#include <exception>
#include <mutex>
#include <set>
#include <string>

#include "base/printable.h"

namespace starling {
namespace {

std::atomic<LogLevel> g_level{LogLevel::kWarning};
std::atomic<LogSink> g_sink{nullptr};

void write(LogLevel level, std::string_view message) {
  // A message may quote a file or a database that anyone wrote.
  const std::string safe = printable(message);
  if (LogSink sink = g_sink.load(); sink != nullptr) {
    sink(level, safe);
    return;
  }
  // One write per line, so that lines of several ranks do not mix.
  const std::string line = "starling: " + safe + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

struct Told {
  std::mutex mutex;  // guards what follows
  std::set<std::string, std::less<>> topics;
};

// The program's own static objects may still cause messages when they are destroyed: this never is.
Told& told() {
  static auto& all = *new Told;
  return all;
}

// Whether this process was never told of `topic`; where memory is too short to know, it was.
bool isNew(std::string_view topic) {
  try {
    const std::lock_guard lock(told().mutex);
    return told().topics.emplace(topic).second;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

void setLogLevel(LogLevel level) { g_level = level; }

LogLevel logLevel() { return g_level; }

void setLogSink(LogSink sink) {
  g_sink = sink;
  const std::lock_guard lock(told().mutex);
  told().topics.clear();
}

void log(LogLevel level, std::string_view message) noexcept {
  if (level > g_level.load()) return;
  try {
    write(level, message);
  } catch (const std::exception&) {
    std::fputs("starling: memory is short, and a message is lost; free some memory\n", stderr);
  }
}

void logOnce(LogLevel level, std::string_view topic, std::string_view message) noexcept {
  if (isNew(topic)) log(level, message);
}

}  // namespace starling
