// The part of doctor that looks at the tuning database.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/text_format.h"
#include "doctor_checks.h"
#include "store/reader.h"
#include "store/start_database.h"

namespace starling::cli {
namespace {

// Returns the nearest folder of `path` that exists, or the working directory for a bare file name.
std::filesystem::path existingFolder(const std::filesystem::path& path) {
  std::error_code fault;
  std::filesystem::path folder = std::filesystem::absolute(path, fault).parent_path();
  while (!folder.empty() && folder != folder.root_path() && !std::filesystem::exists(folder, fault)) {
    folder = folder.parent_path();
  }
  return folder;
}

// A run of few keys takes some hundred kilobytes.
constexpr std::uintmax_t kLittleSpace = 1 << 20;

// Finds that what is to be written there hardly has room.
std::optional<Finding> findLackOfSpace(const std::string& path) {
  std::error_code fault;
  const std::filesystem::space_info space = std::filesystem::space(existingFolder(path), fault);
  if (fault || space.available >= kLittleSpace) return std::nullopt;
  return Finding{Health::kWarning, "database",
                 fmt::format("{}: only {} of its file system are free, so that runs may learn nothing new", path,
                             formatBytes(Bytes{static_cast<std::int64_t>(space.available)})),
                 "make room there, `starling prune` an old database, or set STARLING_DB to another path"};
}

Finding checkFutureDatabase(const std::string& path) {
  const std::filesystem::path folder = existingFolder(path);
  if (access(folder.c_str(), W_OK | X_OK) == 0) {
    return findLackOfSpace(path).value_or(
        Finding{Health::kOk, "database", path + " does not exist yet; the first run creates it", ""});
  }
  return {Health::kFault, "database", fmt::format("{} cannot be created: {} is not writable", path, folder.string()),
          "set STARLING_DB to a path that you can write"};
}

}  // namespace

Finding checkDatabase(const std::string& path) {
  std::error_code fault;
  if (!std::filesystem::exists(path, fault)) return checkFutureDatabase(path);
  if (std::filesystem::is_regular_file(path, fault) && std::filesystem::is_empty(path, fault)) {
    return findLackOfSpace(path).value_or(
        Finding{Health::kOk, "database", path + " is empty; the first run fills it", ""});
  }
  // What it has learned may well be good.
  if (faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) {
    return {Health::kFault, "database", fmt::format("{} cannot be read: {}", path, std::strerror(errno)),
            "give this user the right to read and write it, or set STARLING_DB to another path"};
  }
  const Result<Reader> reader = Reader::open(path);
  if (!reader.isOk()) {
    return {Health::kFault, "database", reader.status().message(),
            "move the file away, or set STARLING_DB to another path"};
  }
  const auto runs = reader.value().runs();
  if (!runs.isOk()) {
    return {Health::kFault, "database", runs.status().message(),
            "move the file away, or set STARLING_DB to another path"};
  }
  // The folder has to be writable, too, because SQLite keeps its journal beside the file.
  if (access(path.c_str(), W_OK) != 0 || access(existingFolder(path).c_str(), W_OK | X_OK) != 0) {
    return {Health::kWarning, "database",
            path + " is readable but not writable: runs begin with what it has learned, and add nothing",
            "make file and folder writable, or set STARLING_DB to another path"};
  }
  if (const std::optional<Finding> lack = findLackOfSpace(path)) return *lack;
  const auto policies = reader.value().allPolicies();
  if (!policies.isOk()) {
    return {Health::kFault, "database", policies.status().message(),
            "move the file away, or set STARLING_DB to another path"};
  }
  return {Health::kOk, "database",
          fmt::format("{} ({}, {})", path, formatCount(std::ssize(runs.value()), "run"),
                      formatCount(std::ssize(policies.value()), "policy")),
          ""};
}

std::vector<Finding> checkStartDatabase(const std::string& path) {
  if (path.empty()) return {};
  const Result<Reader> reader = Reader::open(path);
  const auto policies = reader.isOk() ? reader.value().allPolicies() : reader.status();
  if (!policies.isOk()) {
    return {{Health::kWarning, "start database", namingStartDatabase(policies.status().message()),
             "set STARLING_START_DB to the database that is offered here, or unset it"}};
  }
  return {{Health::kOk, "start database",
           fmt::format("{} ({})", path, formatCount(std::ssize(policies.value()), "policy")), ""}};
}

}  // namespace starling::cli
