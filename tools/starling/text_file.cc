#include "text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace starling::cli {
namespace {

namespace fs = std::filesystem;

// Every SQLite file begins with these bytes, of which the last is 0.
constexpr std::string_view kDatabaseMark("SQLite format 3", 16);

bool isDatabase(const fs::path& path) {
  std::string start(kDatabaseMark.size(), ' ');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start == kDatabaseMark;
}

// What lies there are names of devices and of what a process has open, also where these are plain files.
bool isNameOfSystem(const std::string& path) {
  return path.starts_with("/dev/std") || path.starts_with("/dev/fd/") || path.starts_with("/proc/");
}

// Returns what `path` names when symbolic links are followed, also where there is nothing yet. REQUIRES: they make no
// circle.
fs::path followed(fs::path path) {
  std::error_code fault;
  while (!isNameOfSystem(path) && fs::is_symlink(path, fault)) {
    path = path.parent_path() / fs::read_symlink(path, fault);
  }
  return path;
}

// What another user has laid into a folder that everybody may write to, a file, a link or a pipe, may be meant to be
// written to: he reads what is in it, or has another file replaced.
bool isAnothersInSharedFolder(const fs::path& path) {
  std::error_code fault;
  struct stat named {};
  struct stat folder {};
  const fs::path absolute = fs::absolute(path, fault);
  if (fault || ::lstat(absolute.c_str(), &named) != 0 || ::stat(absolute.parent_path().c_str(), &folder) != 0)
    return false;
  return named.st_uid != ::geteuid() && (folder.st_mode & S_IWOTH) != 0;
}

// A file beside another one, which takes its place or goes away.
class Draft {
 public:
  // Returns nothing where no file can be made there, or none that could take the place of `former`.
  static std::optional<Draft> beside(const fs::path& path, const std::optional<struct stat>& former) {
    std::string name = (path.parent_path() / ".starling-XXXXXX").string();
    const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0) return std::nullopt;
    Draft draft(std::move(name), descriptor);
    if (!draft.becomeLike(former)) return std::nullopt;
    return draft;
  }
  ~Draft() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  Draft(Draft&& other) noexcept
      : name_(std::exchange(other.name_, "")), descriptor_(std::exchange(other.descriptor_, -1)) {}
  Draft& operator=(Draft&&) = delete;

  bool write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno != EINTR) return false;
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::close(std::exchange(descriptor_, -1)) == 0;
  }
  bool takePlaceOf(const fs::path& path) {
    if (::rename(name_.c_str(), path.c_str()) != 0) return false;
    name_.clear();
    return true;
  }

 private:
  Draft(std::string name, int descriptor) : name_(std::move(name)), descriptor_(descriptor) {}

  // Gives it the owner and the permissions of `former`, else those of a new file.
  bool becomeLike(const std::optional<struct stat>& former) const {
    if (former) {
      return ::fchown(descriptor_, former->st_uid, former->st_gid) == 0 &&
             ::fchmod(descriptor_, former->st_mode & 07777) == 0;
    }
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return ::fchmod(descriptor_, 0666 & ~mask) == 0;
  }

  std::string name_;
  int descriptor_;
};

bool writeInPlace(const std::string& text, const fs::path& path, std::ios::openmode mode) {
  std::ofstream file(path, std::ios::binary | mode);
  file << text;
  file.close();
  return !file.fail();
}

// REQUIRES: `path` is no link, and names a plain file or nothing.
bool replaceFile(const std::string& text, const fs::path& path) {
  struct stat status {};
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  if (is_there && ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) return false;
  // Its other names would keep the former text.
  if (is_there && status.st_nlink > 1) return writeInPlace(text, path, std::ios::trunc);
  auto draft = Draft::beside(path, is_there ? std::optional(status) : std::nullopt);
  // A file may be written to where its folder may not, or where nobody but its owner could make another one like it.
  const auto canOnlyBeWritten = [](int fault) { return fault == EACCES || fault == EPERM || fault == EROFS; };
  if (!draft) return canOnlyBeWritten(errno) && writeInPlace(text, path, std::ios::trunc);
  if (!draft->write(text)) return false;
  if (draft->takePlaceOf(path)) return true;
  // So it is where the file is mounted by itself.
  return (errno == EBUSY || errno == EXDEV) && writeInPlace(text, path, std::ios::trunc);
}

}  // namespace

bool isStandardOutput(const std::string& path) { return path.empty() || path == "-" || path == "/dev/stdout"; }

Outcome writeText(const std::string& text, const std::string& path) {
  if (isStandardOutput(path)) {
    fmt::print("{}", text);
    return Outcome::ok();
  }
  std::error_code fault;
  const fs::file_status status = fs::status(path, fault);
  if (fs::is_directory(status)) {
    return Outcome::fault(fmt::format("cannot write {}: it is a folder; name a file in it", path));
  }
  const bool is_plain = fs::is_regular_file(status);
  if (is_plain && isDatabase(path)) {
    return Outcome::fault(
        fmt::format("cannot write {}: it is a database, which would be lost; name another file", path));
  }
  if (isAnothersInSharedFolder(path) || isAnothersInSharedFolder(fs::canonical(path, fault))) {
    return Outcome::fault(fmt::format(
        "cannot write {}: it belongs to another user, in a folder that everybody may write to; name another file",
        path));
  }
  const bool is_named = is_plain || status.type() == fs::file_type::not_found;
  const fs::path file = is_named ? followed(path) : fs::path(path);
  const bool is_written =
      is_named && !isNameOfSystem(file) ? replaceFile(text, file) : writeInPlace(text, path, std::ios::app);
  if (is_written) return Outcome::ok();
  return Outcome::fault(fmt::format("cannot write {}: check the folder, its permissions and free space", path));
}

}  // namespace starling::cli
