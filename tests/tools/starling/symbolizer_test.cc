#include "symbolizer.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstring>
#include <filesystem>

#include "../../temporary_folder.h"

namespace starling::cli {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

// Where this executable is loaded, and its build id.
struct Self {
  std::string path = std::filesystem::read_symlink("/proc/self/exe").string();
  std::uint64_t bias = 0;
  std::string build_id;
};

std::uint64_t padded(std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; }

void readNotes(const char* at, const char* end, std::string& build_id) {
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof(note));
    const char* name = at + sizeof(note);
    const char* body = name + padded(note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && std::strcmp(name, "GNU") == 0) {
      for (std::uint64_t i = 0; i < note.n_descsz; ++i) {
        char digits[3];
        std::snprintf(digits, sizeof(digits), "%02x", static_cast<unsigned>(static_cast<unsigned char>(body[i])));
        build_id += digits;
      }
    }
    at = body + padded(note.n_descsz);
  }
}

// The executable is the first object.
int readSelf(dl_phdr_info* info, std::size_t, void* data) {
  auto& self = *static_cast<Self*>(data);
  self.bias = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const char* notes = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);
    readNotes(notes, notes + header.p_memsz, self.build_id);
  }
  return 1;
}

Self self() {
  Self found;
  dl_iterate_phdr(readSelf, &found);
  return found;
}

__attribute__((noinline)) std::uint64_t returnAddress() {
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}

struct Call {
  std::uint64_t address = 0;
  int line = 0;
};

__attribute__((noinline)) Call callFromKnownLine(int) {
  Call call;
  call.line = __LINE__ + 1;
  call.address = returnAddress();
  return call;
}

TEST(Symbolizer, namesFunctionFileAndLineOfACall) {
  const Self module = self();
  const Call call = callFromKnownLine(1);
  const Place place = Symbolizer().locate(module.path, module.build_id, call.address - module.bias);
  EXPECT_THAT(place.symbol, HasSubstr("callFromKnownLine(int)"));
  EXPECT_THAT(place.file, EndsWith("symbolizer_test.cc"));
  EXPECT_EQ(place.line, call.line);
}

TEST(Symbolizer, readsBuildIdsInCapitals) {
  Self module = self();
  for (char& c : module.build_id) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const Call call = callFromKnownLine(2);
  EXPECT_NE(Symbolizer().locate(module.path, module.build_id, call.address - module.bias).symbol, "");
}

TEST(Symbolizer, saysNothingWhenTheFileWasRebuilt) {
  const Self module = self();
  std::string other = module.build_id;
  other.front() = other.front() == '0' ? '1' : '0';
  const Call call = callFromKnownLine(3);
  const Place place = Symbolizer().locate(module.path, other, call.address - module.bias);
  EXPECT_EQ(place.symbol, "");
  EXPECT_EQ(place.file, "");
  EXPECT_EQ(place.line, 0);
}

TEST(Symbolizer, saysNothingWhenItCannotKnow) {
  const Self module = self();
  Symbolizer symbolizer;
  EXPECT_EQ(symbolizer.locate("/missing/file", module.build_id, 16).symbol, "");
  EXPECT_EQ(symbolizer.locate("/proc/self/status", module.build_id, 16).symbol, "");
  EXPECT_EQ(symbolizer.locate(module.path, "", 16).symbol, "");
  EXPECT_EQ(symbolizer.locate(module.path, module.build_id, 0).symbol, "");
  EXPECT_EQ(symbolizer.locate(module.path, module.build_id, std::uint64_t{1} << 60).symbol, "");
}

// Nobody writes to the pipe: who opened it would wait for ever.
TEST(Symbolizer, opensPlainFilesAlone) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  Symbolizer symbolizer;
  for (const std::string& module : {folder.file("pipe"), std::string("/dev/zero"), folder.file("")})
    EXPECT_EQ(symbolizer.locate(module, "0a0b", 31).symbol, "");
}

}  // namespace
}  // namespace starling::cli
