#include "store/spool.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "store/codec.h"
#include "store/safe_path.h"

namespace starling {
namespace {

using Missing = PrivateFolder::Missing;

constexpr int kMaxFailures = 3;
constexpr int kMaxTries = 5;  // another run may remove the folder for all runs while this one enters it
constexpr std::chrono::seconds kAbandonedAfter{60};
constexpr std::chrono::hours kWorthlessAfter{7 * 24};

bool isPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

bool isUnfinished(const PrivateFolder::File& file) { return file.name.starts_with("."); }

Result<std::pair<PrivateFolder, PrivateFolder>> enter(const std::string& path, const std::string& name) {
  Status last = Status::ok();
  for (int i = 0; i < kMaxTries; ++i) {
    Result<PrivateFolder> spool = PrivateFolder::open(path, Missing::kMake);
    if (!spool.isOk()) return spool.status();
    Result<PrivateFolder> own = spool.value().openInside(name, Missing::kMake);
    if (own.isOk()) return std::pair(std::move(spool).value(), std::move(own).value());
    last = own.status();
  }
  return last;
}

}  // namespace

Result<std::string> spoolPath(const std::string& database) {
  const Result<std::string> safe = safePath(database);
  if (!safe.isOk()) return safe.status();
  return fmt::format("{}-spool-{}", safe.value(), ::geteuid());
}

std::string spoolFolderName(const std::string& run_id) {
  std::string name;
  for (const char c : run_id)
    name += isPlain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return name;
}

std::string spoolRunId(const std::string& folder_name) {
  std::string id;
  for (std::size_t i = 0; i < folder_name.size(); ++i) {
    unsigned code = 0;
    const char* const digits = folder_name.data() + i + 1;
    if (folder_name[i] == '%' && i + 2 < folder_name.size() &&
        std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
      id += static_cast<char>(code);
      i += 2;
    } else {
      id += folder_name[i];
    }
  }
  return id;
}

// A source is the folder of one run.
struct Spool::Source {
  const PrivateFolder& folder;
  std::string run_id;
  std::chrono::system_clock::time_point now;
  bool is_abandoned;  // nobody else takes from it
  bool is_own;
};

Result<Spool> Spool::open(const std::string& database, const std::string& run_id) {
  const Result<std::string> path = spoolPath(database);
  if (!path.isOk()) return path.status();
  auto folders = enter(path.value(), spoolFolderName(run_id));
  if (!folders.isOk()) return folders.status();
  auto [spool, own] = std::move(folders).value();
  static_cast<void>(own.lock());  // where there are no locks, age tells
  return Spool(std::move(spool), std::move(own), run_id);
}

Spool::~Spool() {
  if (own_.removeIfEmpty()) spool_.removeIfEmpty();
}

void Spool::reopen() {
  auto folders = enter(spool_.path(), spoolFolderName(run_id_));
  if (!folders.isOk()) return;
  auto [spool, own] = std::move(folders).value();
  static_cast<void>(own.lock());
  spool_ = std::move(spool);
  own_ = std::move(own);
}

void Spool::take(const Deliver& deliver) {
  if (!own_.isStillThere()) reopen();
  takeFrom({own_, run_id_, {}, true, true}, deliver);
}

void Spool::takeLeftovers(const Deliver& deliver) {
  const auto now = own_.now();
  for (const PrivateFolder::File& entry : spool_.list()) {
    const std::string run_id = spoolRunId(entry.name);
    if (run_id == run_id_) continue;
    const Result<PrivateFolder> folder = spool_.openInside(entry.name, Missing::kRefuse);
    if (!folder.isOk()) continue;
    const bool is_abandoned = folder.value().lock();
    if (!takeFrom({folder.value(), run_id, now, is_abandoned, false}, deliver)) return;
    if (is_abandoned || now - entry.changed > kAbandonedAfter) folder.value().removeIfEmpty();
  }
}

void Spool::takeAll(const Deliver& deliver) {
  failures_.clear();
  take(deliver);
  takeLeftovers(deliver);
}

bool Spool::takeFrom(const Source& source, const Deliver& deliver) {
  for (const PrivateFolder::File& file : source.folder.list()) {
    const bool is_old = source.now - file.changed > kAbandonedAfter;
    if (isUnfinished(file)) {
      if (!source.is_own && is_old) source.folder.remove(file.name);
    } else if (source.is_abandoned || is_old) {
      if (!takeFile(source, file, deliver)) return false;
    }
  }
  return true;
}

bool Spool::takeFile(const Source& source, const PrivateFolder::File& file, const Deliver& deliver) {
  const std::string path = source.folder.path() + "/" + file.name;
  if (failures_[path] >= kMaxFailures) return true;
  const Result<std::vector<std::uint8_t>> bytes = source.folder.read(file.name, kMaxSpoolBytes);
  if (bytes.isOk()) {
    const Result<Batch> batch = decodeBatch(bytes.value());
    if (!batch.isOk()) {
      logOnce(LogLevel::kWarning, "spool file",
              path + " is removed, its records are lost: " + batch.status().message());
    }
    if (!batch.isOk() || deliver(source.run_id, batch.value())) {
      source.folder.remove(file.name);
      failures_.erase(path);
      return true;
    }
  }
  if (!source.is_own && source.now - file.changed > kWorthlessAfter) source.folder.remove(file.name);
  ++failures_[path];
  return false;
}

}  // namespace starling
