// Messages to the person who runs the program: few, one line each, on stderr.
#pragma once

#include <concepts>
#include <exception>
#include <string>
#include <string_view>

namespace starling {

enum class LogLevel { kSilent = 0, kWarning = 1, kInfo = 2 };

// THREADS: all functions here may be called from any thread.
void setLogLevel(LogLevel level);
LogLevel logLevel();

// Writes "starling: <message>" when `level` is enabled, in one line and printable(); of a message that memory is too
// short for, it says that it is lost.
void log(LogLevel level, std::string_view message) noexcept;

// As log(), but once per process for each `topic`: a fault that recurs at every call is told once.
void logOnce(LogLevel level, std::string_view topic, std::string_view message) noexcept;

// Likewise, for a message that is put together: `message` () -> std::string. Where memory is too short for that the
// message is lost, and a line that says so takes its place.
template <std::invocable Message>
void logOnce(LogLevel level, std::string_view topic, const Message& message) noexcept {
  try {
    logOnce(level, topic, std::string_view(message()));
  } catch (const std::exception&) {
    logOnce(level, topic, "memory is short, and a message is lost; free some memory");
  }
}

// Redirects messages, for tests; an empty function restores stderr. What logOnce() has told may be told again.
using LogSink = void (*)(LogLevel, std::string_view);
void setLogSink(LogSink sink);

}  // namespace starling
