#include "store/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include "store/safe_path.h"

namespace starling::sqlite {

using SteadyClock = std::chrono::steady_clock;

// The handle is on the heap, so that statements and the busy handler may point to it while the connection moves.
struct Handle {
  std::string path;
  std::string action = "open";
  Seconds patience;
  SteadyClock::time_point deadline;
  sqlite3* database = nullptr;
};

namespace {

// A journal that names another file was refused on this thread.
thread_local bool g_refused_journal = false;

constexpr const char* kElsewhere = "or set STARLING_DB to another file";

// SQLite calls this while another process holds a lock; 0 gives up. It takes the place of sqlite3_busy_timeout(),
// because one call takes several locks, and patience bounds their sum.
int waitForLock(void* context, int attempt) {
  const auto& handle = *static_cast<const Handle*>(context);
  const auto remaining = handle.deadline - SteadyClock::now();
  if (remaining <= SteadyClock::duration::zero()) return 0;
  const SteadyClock::duration pause = std::chrono::milliseconds(std::min(1 + 2 * attempt, 20));
  std::this_thread::sleep_for(std::min(pause, remaining));
  return 1;
}

// Returns the reason of a result code and how to mend it.
std::string explain(const Handle& handle, int code) {
  const std::string text = handle.database != nullptr ? sqlite3_errmsg(handle.database) : sqlite3_errstr(code);
  const int system_error = handle.database != nullptr ? sqlite3_system_errno(handle.database) : 0;
  // A missing file is what SQLite's second attempt, to read only, finds when the first may not make one.
  const bool is_telling = system_error != 0 && system_error != ENOENT;
  const std::string system_text = is_telling ? fmt::format(" ({})", std::strerror(system_error)) : "";
  if (code == SQLITE_READONLY_ROLLBACK || code == SQLITE_READONLY_RECOVERY || code == SQLITE_READONLY_CANTINIT) {
    return "a writer was stopped in the middle, and undoing its last write takes the right to write file and folder; "
           "let its owner read it once";
  }
  if (code == SQLITE_READONLY_DBMOVED) {
    return "the file was moved or deleted while it was open; put it back, or start the program anew";
  }
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fmt::format("another process held its lock for {:g} s; try again when that process is done, {}",
                         handle.patience.value, kElsewhere);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return fmt::format("the file is damaged or no SQLite database ({}); move it away, {}", text, kElsewhere);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return fmt::format("file or folder may not be written; give this user the right to write both, {}", kElsewhere);
    case SQLITE_FULL:
      return fmt::format("the disk or the quota is full; free some space, {}", kElsewhere);
    case SQLITE_CANTOPEN:
      if (std::exchange(g_refused_journal, false)) {
        return "its journal named another file to delete, as none of Starling's does; nothing was deleted, and the "
               "database can be opened now; see who may write to its folder";
      }
      return fmt::format(
          "the file or its journal cannot be opened{}; make sure that its folder exists and may be "
          "used by this user, {}",
          system_text, kElsewhere);
    case SQLITE_IOERR:
      return fmt::format("the file system failed: {}{}; check the disk and its quota, {}", text, system_text,
                         kElsewhere);
    case SQLITE_NOMEM:
      return "memory is short; free some memory";
    case SQLITE_ERROR:
    case SQLITE_TOOBIG:
      return fmt::format(
          "its tables are not those that Starling makes ({}); move it away, {}, and report this if no other program "
          "has changed it",
          text, kElsewhere);
    default:
      return fmt::format("SQLite says: {} (code {}); please report this as a fault of Starling", text, code);
  }
}

Status failure(const Handle& handle, std::string_view explanation) {
  return Status::error(fmt::format("cannot {} {}: {}", handle.action, handle.path, explanation));
}

Status failure(const Handle& handle, int code) { return failure(handle, explain(handle, code)); }

// A schema is code that another program may have written into the file: none of it runs when the file is read, since
// schemaSteps() refuses columns that are computed.
int trustNoSchema(sqlite3* database) {
  constexpr int kLongestValue = 16 << 20;  // bytes
  const std::pair<int, int> settings[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                          {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                          {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                          {SQLITE_DBCONFIG_ENABLE_VIEW, 0}};
  for (const auto& [setting, value] : settings) {
    if (const int code = sqlite3_db_config(database, setting, value, nullptr); code != SQLITE_OK) return code;
  }
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  return sqlite3_drop_modules(database, nullptr);  // no table is virtual
}

#ifndef SQLITE_OPEN_SUPER_JOURNAL
#define SQLITE_OPEN_SUPER_JOURNAL 0x00004000  // its name before SQLite 3.33 was another one
#endif

sqlite3_vfs* g_default_vfs = nullptr;
sqlite3_vfs g_guarded_vfs{};

int openGuarded(sqlite3_vfs* /*guarded*/, const char* name, sqlite3_file* file, int flags, int* opened) {
  file->pMethods = nullptr;
  g_refused_journal = (flags & SQLITE_OPEN_SUPER_JOURNAL) != 0;
  if (g_refused_journal) return SQLITE_CANTOPEN;
  return g_default_vfs->xOpen(g_default_vfs, name, file, flags, opened);
}

// Returns the name of a file system that is the default of this process, but for one thing: a journal may name a file
// that SQLite deletes when the journal was played back. That is for transactions over several files, which Starling
// does not have, and a stranger may have written the journal. Who opens such a database first is refused, and nothing
// is deleted. Null: memory is short.
const char* guardedFileSystem() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (g_guarded_vfs.zName != nullptr) return g_guarded_vfs.zName;
  g_default_vfs = sqlite3_vfs_find(nullptr);
  if (g_default_vfs == nullptr) return nullptr;
  g_guarded_vfs = *g_default_vfs;
  g_guarded_vfs.pNext = nullptr;
  g_guarded_vfs.zName = "starling";
  g_guarded_vfs.xOpen = openGuarded;
  if (sqlite3_vfs_register(&g_guarded_vfs, 0) != SQLITE_OK) g_guarded_vfs.zName = nullptr;
  return g_guarded_vfs.zName;
}

std::uint32_t bigEndian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 |
         std::uint32_t{bytes[3]};
}

}  // namespace

Statement::Statement(const Handle* handle, std::string_view sql) : handle_(handle) {
  const int code =
      sqlite3_prepare_v2(handle_->database, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr);
  if (code != SQLITE_OK) status_ = failure(*handle_, code);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement::Statement(Statement&& other) noexcept
    : handle_(other.handle_), statement_(std::exchange(other.statement_, nullptr)), status_(std::move(other.status_)) {}

void Statement::reset() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);  // repeats the code of the last step, which status_ has already told
  status_ = Status::ok();
}

bool Statement::next() {
  if (!status_.isOk()) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) status_ = failure(*handle_, code);
  sqlite3_reset(statement_);  // lets go of the lock even while the statement lives on
  return false;
}

void Statement::bindNull(int parameter) {
  if (status_.isOk()) sqlite3_bind_null(statement_, parameter);
}

void Statement::bindInteger(int parameter, std::int64_t value) {
  if (status_.isOk()) sqlite3_bind_int64(statement_, parameter, value);
}

void Statement::bindReal(int parameter, double value) {
  if (status_.isOk()) sqlite3_bind_double(statement_, parameter, value);  // SQLite itself turns NaN into NULL
}

void Statement::bindText(int parameter, std::string_view value) {
  if (!status_.isOk()) return;
  const char* bytes = value.data() != nullptr ? value.data() : "";
  const int code = sqlite3_bind_text(statement_, parameter, bytes, static_cast<int>(value.size()), SQLITE_TRANSIENT);
  if (code != SQLITE_OK) status_ = failure(*handle_, code);
}

bool Statement::isNull(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }

double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (bytes == nullptr) return {};
  return std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

Result<Connection> Connection::open(const std::string& path, Access access, Seconds patience) {
  auto handle = std::make_unique<Handle>();
  handle->path = path;
  handle->patience = patience;
  const bool is_file = path != ":memory:";
  const Result<std::string> safe = is_file ? safePath(path) : path;
  if (!safe.isOk()) return failure(*handle, safe.status().message());
  // For reading too it is opened for writing where this user may: the first to come after a writer that was killed has
  // to undo what it left half written. SQLite falls back to reading by itself.
  const int mode = SQLITE_OPEN_READWRITE | (access == Access::kReadWrite ? SQLITE_OPEN_CREATE : 0);
  const char* const file_system = guardedFileSystem();
  if (file_system == nullptr) return failure(*handle, SQLITE_NOMEM);
  const int code = sqlite3_open_v2(safe.value().c_str(), &handle->database,
                                   mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, file_system);
  Connection connection(std::move(handle));
  Handle& opened = *connection.handle_;
  if (code != SQLITE_OK) return failure(opened, code);
  // In a folder that is shared, another user may have made the file since it was looked at.
  const Result<std::string> still_safe = is_file ? safePath(path) : path;
  if (!still_safe.isOk()) return failure(opened, still_safe.status().message());
  sqlite3_extended_result_codes(opened.database, 1);
  sqlite3_busy_handler(opened.database, waitForLock, &opened);
  connection.beginCall("open");
  if (const int refused = trustNoSchema(opened.database); refused != SQLITE_OK) return failure(opened, refused);
  if (access == Access::kReadWrite && sqlite3_db_readonly(opened.database, "main") == 1) {
    return failure(opened, SQLITE_READONLY);
  }
  if (access == Access::kReadOnly) {
    if (Status reading = connection.execute("PRAGMA query_only = ON"); !reading.isOk()) return reading;
  }
  return connection;
}

Connection::Connection(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

Connection::~Connection() {
  if (handle_ != nullptr) sqlite3_close(handle_->database);
}

void Connection::beginCall(const char* action) {
  handle_->action = action;
  handle_->deadline = SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(
                                               std::chrono::duration<double>(handle_->patience.value));
}

Result<FileHeader> Connection::header() const {
  // The header is read through SQLite's own descriptor: closing a second one would drop this process's locks on the
  // file (POSIX).
  sqlite3_file* file = nullptr;
  sqlite3_file_control(handle_->database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (file == nullptr || file->pMethods == nullptr) return FileHeader{.is_empty = true};
  sqlite3_int64 size = 0;
  int code = file->pMethods->xFileSize(file, &size);
  if (code == SQLITE_OK && size == 0) return FileHeader{.is_empty = true};
  std::array<std::uint8_t, 100> bytes{};
  if (code == SQLITE_OK) code = file->pMethods->xRead(file, bytes.data(), static_cast<int>(bytes.size()), 0);
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return failure(*handle_, code);
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  return FileHeader{.is_sqlite = code == SQLITE_OK && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0,
                    .application_id = bigEndian(bytes.data() + 68),
                    .user_version = bigEndian(bytes.data() + 60)};
}

const std::string& Connection::path() const { return handle_->path; }

Status Connection::fault(std::string_view explanation) const { return failure(*handle_, explanation); }

Status Connection::execute(const char* sql) const {
  const int code = sqlite3_exec(handle_->database, sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Status::ok() : failure(*handle_, code);
}

Status Connection::vacuum() const {
  // SQLite attaches the new file to this connection while it works; nothing else may be attached.
  sqlite3_limit(handle_->database, SQLITE_LIMIT_ATTACHED, 1);
  Status done = execute("VACUUM");
  sqlite3_limit(handle_->database, SQLITE_LIMIT_ATTACHED, 0);
  return done;
}

std::int64_t Connection::changes() const { return sqlite3_changes(handle_->database); }

Transaction::Transaction(const Connection& connection)
    : connection_(connection), status_(connection.execute("BEGIN IMMEDIATE")), open_(status_.isOk()) {}

Transaction::~Transaction() {
  // After a full disk or a failed write SQLite may have rolled back already; then this fails, which changes nothing.
  if (open_) static_cast<void>(connection_.execute("ROLLBACK"));
}

Status Transaction::commit() {
  Status committed = connection_.execute("COMMIT");
  if (committed.isOk()) open_ = false;
  return committed;
}

}  // namespace starling::sqlite
