// Opens a folder that only this user may use, and the files in it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace starling {

// Everything goes through the open folder, so that nobody can exchange it or a file of it for a link meanwhile.
// THREADS: one thread at a time.
class PrivateFolder {
 public:
  enum class Missing { kMake, kRefuse };

  struct File {
    std::string name;
    std::uint64_t bytes = 0;
    std::chrono::system_clock::time_point changed;  // by the clock of the file system
  };

  // REQUIRES: safePath(path).isOk(). Errors: the folder is missing and not to be made; it is a link or another user's;
  // others may write to it.
  static Result<PrivateFolder> open(const std::string& path, Missing missing);
  // Opens a folder in this one.
  Result<PrivateFolder> openInside(const std::string& name, Missing missing) const;
  ~PrivateFolder();
  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&& other) noexcept;

  const std::string& path() const { return path_; }
  // Returns whether the folder is still there, that is, nobody has removed it since it was opened.
  bool isStillThere() const;
  // Keeps the folder's lock until this object or the process ends. Returns false when another process has it, or the
  // file system knows no locks.
  bool lock() const;
  // Returns what the file system's clock says. Changes the folder's own time.
  std::chrono::system_clock::time_point now() const;

  // Lists files by name, and folders too, with 0 bytes. The list is empty where the folder cannot be read.
  std::vector<File> list() const;
  // Reads a file. Errors: no plain file, more than `most_bytes`, not readable.
  Result<std::vector<std::uint8_t>> read(const std::string& name, std::uint64_t most_bytes) const;
  // Writes a file, which appears under its name when it is complete. After an error it does not appear, and nothing of
  // it is left.
  Status write(const std::string& name, const std::vector<std::uint8_t>& bytes) const;
  bool remove(const std::string& name) const;
  // Removes the folder itself, unless there is something in it.
  bool removeIfEmpty() const;

 private:
  PrivateFolder(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  static Result<PrivateFolder> openAt(int parent, const std::string& name, const std::string& path, Missing missing);

  int descriptor_ = -1;
  std::string path_;
};

}  // namespace starling
