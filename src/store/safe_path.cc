#include "store/safe_path.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string_view>

namespace starling {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMend = "set STARLING_DB to a file in a folder that only you may write to";
constexpr const char* kMendByCopy =
    "to read or merge what it holds copy it into a folder of your own, else set STARLING_DB to a file there";

// Returns the status of the thing itself, without following links; nothing when it is not there or cannot be asked.
std::optional<struct stat> statusOf(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

bool isStrangers(const struct stat& status) { return status.st_uid != 0 && status.st_uid != ::geteuid(); }

bool everybodyMayWrite(const struct stat& status) { return (status.st_mode & S_IWOTH) != 0; }

// Checks that the links on the way to `folder` belong to nobody else.
Status checkWay(const fs::path& folder) {
  fs::path way;
  for (const fs::path& name : folder) {
    way /= name;
    const auto status = statusOf(way);
    if (status && S_ISLNK(status->st_mode) && isStrangers(*status)) {
      return Status::error(
          fmt::format("{} is a symbolic link of another user's (number {}); {}", way.string(), status->st_uid, kMend));
    }
  }
  return Status::ok();
}

Status checkFolder(const fs::path& folder, const struct stat& status) {
  if (isStrangers(status)) {
    return Status::error(fmt::format("its folder {} belongs to another user (number {}), who can exchange the file; {}",
                                     folder.string(), status.st_uid, kMendByCopy));
  }
  if (everybodyMayWrite(status) && (status.st_mode & S_ISVTX) == 0) {
    return Status::error(
        fmt::format("its folder {} may be written to by everybody; take that right away (chmod o-w), "
                    "or {}",
                    folder.string(), kMend));
  }
  return Status::ok();
}

Status checkFile(const fs::path& file, bool must_be_own) {
  const auto status = statusOf(file);
  if (!status) return Status::ok();
  if (S_ISLNK(status->st_mode)) {
    return Status::error(fmt::format("{} is a symbolic link, which may lead to any file; name the file itself, or {}",
                                     file.string(), kMend));
  }
  if (!S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode)) {
    return Status::error(fmt::format("{} is no plain file; {}", file.string(), kMend));
  }
  if (everybodyMayWrite(*status) && S_ISREG(status->st_mode)) {
    return Status::error(fmt::format("{} may be written to by everybody; take that right away (chmod o-w), or {}",
                                     file.string(), kMend));
  }
  if (must_be_own && status->st_uid != ::geteuid()) {
    return Status::error(
        fmt::format("{} lies in a folder that everybody may write to and belongs to another user "
                    "(number {}); {}",
                    file.string(), status->st_uid, kMendByCopy));
  }
  return Status::ok();
}

}  // namespace

Result<std::string> safePath(const std::string& path) {
  std::error_code fault;
  const fs::path absolute = fs::absolute(path, fault);
  if (fault) return path;
  if (Status way = checkWay(absolute.parent_path()); !way.isOk()) return way;
  const fs::path folder = fs::canonical(absolute.parent_path(), fault);
  const auto status = statusOf(folder);
  if (fault || !status || !S_ISDIR(status->st_mode)) return path;  // who opens it will say what is missing
  if (Status checked = checkFolder(folder, *status); !checked.isOk()) return checked;
  const std::string file = (folder / absolute.filename()).string();
  for (const std::string_view part : {"", "-journal", "-wal", "-shm"}) {
    if (Status checked = checkFile(file + std::string(part), everybodyMayWrite(*status)); !checked.isOk()) {
      return checked;
    }
  }
  return file;
}

}  // namespace starling
