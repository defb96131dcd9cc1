// Messages to the person who runs the program: few, one line each, on stderr.
#pragma once

#include <string>
#include <string_view>

namespace starling {

enum class LogLevel { kSilent = 0, kWarning = 1, kInfo = 2, kDebug = 3 };

// THREADS: all functions here may be called from any thread.
void setLogLevel(LogLevel level);
LogLevel logLevel();

// Writes "starling: <message>" when `level` is enabled.
void log(LogLevel level, std::string_view message);

// As log(), but once per process for each `topic`: a fault that recurs at every call is told once.
void logOnce(LogLevel level, std::string_view topic, std::string_view message);

// Redirects messages (tests); an empty function restores stderr.
using LogSink = void (*)(LogLevel, std::string_view);
void setLogSink(LogSink sink);

}  // namespace starling
