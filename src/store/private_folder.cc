#include "store/private_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "base/descriptor.h"

namespace starling {
namespace {

// Names of files that are not complete yet begin with it.
constexpr const char* kUnfinished = ".";

Status failure(const char* action, const std::string& path, int code) {
  return Status::error(fmt::format("cannot {} {}: {}; check its permissions, the disk and its quota", action, path,
                                   std::strerror(code)));
}

// What a file system moves none of, without an error, is an error of its own.
bool hasMoved(ssize_t bytes) {
  if (bytes == 0) errno = EIO;
  return bytes > 0;
}

bool writeAll(int descriptor, const std::vector<std::uint8_t>& bytes) {
  for (std::size_t written = 0; written < bytes.size();) {
    const ssize_t more = ::write(descriptor, bytes.data() + written, bytes.size() - written);
    if (more < 0 && errno == EINTR) continue;
    if (!hasMoved(more)) return false;
    written += static_cast<std::size_t>(more);
  }
  return true;
}

bool readAll(int descriptor, std::vector<std::uint8_t>& bytes) {
  for (std::size_t taken = 0; taken < bytes.size();) {
    const ssize_t more = ::read(descriptor, bytes.data() + taken, bytes.size() - taken);
    if (more < 0 && errno == EINTR) continue;
    if (!hasMoved(more)) return false;
    taken += static_cast<std::size_t>(more);
  }
  return true;
}

std::chrono::system_clock::time_point timeOf(const timespec& time) {
  const auto since = std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  return std::chrono::system_clock::time_point(std::chrono::duration_cast<std::chrono::system_clock::duration>(since));
}

}  // namespace

Result<PrivateFolder> PrivateFolder::open(const std::string& path, Missing missing) {
  return openAt(AT_FDCWD, path, path, missing);
}

Result<PrivateFolder> PrivateFolder::openInside(const std::string& name, Missing missing) const {
  return openAt(descriptor_, name, path_ + "/" + name, missing);
}

Result<PrivateFolder> PrivateFolder::openAt(int parent, const std::string& name, const std::string& path,
                                            Missing missing) {
  if (missing == Missing::kMake && ::mkdirat(parent, name.c_str(), 0700) != 0 && errno != EEXIST) {
    return failure("make", path, errno);
  }
  Descriptor folder(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder.number() < 0) return failure("open", path, errno);
  struct stat status {};
  if (::fstat(folder.number(), &status) != 0) return failure("open", path, errno);
  if (status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return Status::error(fmt::format(
        "cannot use {}: the folder belongs to another user or may be written to by others; remove it", path));
  }
  return PrivateFolder(folder.release(), path);
}

PrivateFolder::~PrivateFolder() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

PrivateFolder& PrivateFolder::operator=(PrivateFolder&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

bool PrivateFolder::isStillThere() const {
  struct stat status {};
  return ::fstat(descriptor_, &status) == 0 && status.st_nlink > 0;
}

bool PrivateFolder::lock() const { return ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0; }

std::chrono::system_clock::time_point PrivateFolder::now() const {
  ::futimens(descriptor_, nullptr);
  struct stat status {};
  ::fstat(descriptor_, &status);
  return timeOf(status.st_mtim);
}

std::vector<PrivateFolder::File> PrivateFolder::list() const {
  std::vector<File> files;
  // The list needs a descriptor of its own, because the position in the folder belongs to the open file.
  Descriptor again(::openat(descriptor_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(again.number() < 0 ? nullptr : ::fdopendir(again.number()),
                                                    ::closedir);
  if (!entries) return files;
  again.release();
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string name = entry->d_name;
    struct stat status {};
    if (name == "." || name == ".." || ::fstatat(descriptor_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    const bool is_file = S_ISREG(status.st_mode);
    files.push_back({name, is_file ? static_cast<std::uint64_t>(status.st_size) : 0, timeOf(status.st_mtim)});
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.name < b.name; });
  return files;
}

Result<std::vector<std::uint8_t>> PrivateFolder::read(const std::string& name, std::uint64_t most_bytes) const {
  const std::string path = path_ + "/" + name;
  const Descriptor file(::openat(descriptor_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) return failure("read", path, errno);
  if (!S_ISREG(status.st_mode) || static_cast<std::uint64_t>(status.st_size) > most_bytes) {
    return Status::error(fmt::format("cannot read {}: it is no plain file of {} bytes at most", path, most_bytes));
  }
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(status.st_size));
  if (!readAll(file.number(), bytes)) return failure("read", path, errno);
  return bytes;
}

Status PrivateFolder::write(const std::string& name, const std::vector<std::uint8_t>& bytes) const {
  const std::string unfinished = kUnfinished + name;
  const std::string path = path_ + "/" + name;
  Descriptor file(
      ::openat(descriptor_, unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.number() < 0) return failure("write", path, errno);
  const bool is_complete = writeAll(file.number(), bytes) && file.close() &&
                           ::renameat(descriptor_, unfinished.c_str(), descriptor_, name.c_str()) == 0;
  if (is_complete) return Status::ok();
  const int code = errno;
  remove(unfinished);
  return failure("write", path, code);
}

bool PrivateFolder::remove(const std::string& name) const { return ::unlinkat(descriptor_, name.c_str(), 0) == 0; }

bool PrivateFolder::removeIfEmpty() const { return descriptor_ >= 0 && ::rmdir(path_.c_str()) == 0; }

}  // namespace starling
