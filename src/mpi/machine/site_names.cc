#include "mpi/machine/site_names.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

namespace starling {
namespace {

struct ModuleQuery {
  std::uint64_t address = 0;
  std::uint64_t base = 0;
  std::string path;
  std::string build_id;
  bool found = false;
};

std::uint64_t aligned(std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; }

// Finds the build id among the notes of one segment; returns it as hexadecimal, or nothing when there is none.
std::string buildIdOfNotes(const unsigned char* notes, std::uint64_t size) {
  std::uint64_t at = 0;
  while (at + sizeof(ElfW(Nhdr)) <= size) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof(note));
    const std::uint64_t name = at + sizeof(note);
    const std::uint64_t body = name + aligned(note.n_namesz);
    if (body + note.n_descsz > size) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes + name, "GNU", 4) == 0) {
      std::string text;
      for (std::uint64_t i = 0; i < note.n_descsz; ++i) text += fmt::format("{:02x}", notes[body + i]);
      return text;
    }
    at = body + aligned(note.n_descsz);
  }
  return {};
}

std::string buildIdOf(const dl_phdr_info& info) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info.dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const unsigned char*>(info.dlpi_addr + header.p_vaddr);
    std::string build_id = buildIdOfNotes(notes, header.p_memsz);
    if (!build_id.empty()) return build_id;
  }
  return {};
}

int examineModule(dl_phdr_info* info, std::size_t, void* data) {
  auto& query = *static_cast<ModuleQuery*>(data);
  for (int i = 0; i < info->dlpi_phnum && !query.found; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const std::uint64_t start = info->dlpi_addr + header.p_vaddr;
    query.found = header.p_type == PT_LOAD && query.address >= start && query.address - start < header.p_memsz;
  }
  if (!query.found) return 0;
  query.base = info->dlpi_addr;
  query.path = info->dlpi_name;
  query.build_id = buildIdOf(*info);
  return 1;
}

std::string executablePath() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "";
}

// The executable's own entry has no name.
std::string fileNameOf(const std::string& path) {
  return std::filesystem::path(path.empty() ? executablePath() : path).filename().string();
}

std::string buildOf(const std::string& file_name, const std::string& build_id) {
  return fmt::format("{}[{}]", file_name, build_id.substr(0, 16));
}

int addBuild(dl_phdr_info* info, std::size_t, void* data) {
  std::string name = fileNameOf(info->dlpi_name);
  auto& builds = *static_cast<LoadedBuilds*>(data);
  builds.builds.insert(buildOf(name, buildIdOf(*info)));
  builds.modules.insert(std::move(name));
  return 0;
}

std::string demangled(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? text.get() : symbol;
}

}  // namespace

SiteRecord siteOfAddress(std::uint64_t return_address) {
  SiteRecord site;
  ModuleQuery query;
  query.address = return_address - 1;  // the call itself, as its return address may belong to the next function
  dl_iterate_phdr(examineModule, &query);
  if (!query.found) {
    site.identity = fmt::format("address:{:#x}", return_address);
    return site;
  }
  site.module = query.path.empty() ? executablePath() : query.path;
  site.build_id = query.build_id;
  site.offset = return_address - query.base;
  site.identity = fmt::format("{}+{:#x}", buildOf(fileNameOf(site.module), site.build_id), site.offset);
  Dl_info symbol{};
  if (dladdr(reinterpret_cast<const void*>(query.address), &symbol) != 0 && symbol.dli_sname != nullptr) {
    site.symbol = demangled(symbol.dli_sname);
  }
  return site;
}

LoadedBuilds loadedBuilds() {
  LoadedBuilds builds;
  dl_iterate_phdr(addBuild, &builds);
  return builds;
}

std::string buildOfSite(const std::string& identity) {
  const std::size_t offset = identity.rfind("]+0x");
  return offset == std::string::npos ? "" : identity.substr(0, offset + 1);
}

bool LoadedBuilds::haveAnotherOf(const std::string& build) const {
  return !build.empty() && modules.contains(build.substr(0, build.rfind('['))) && !builds.contains(build);
}

SiteRecord siteOfLabel(const std::string& label) {
  SiteRecord site;
  site.identity = "label:" + label;
  site.label = label;
  return site;
}

SiteRecord siteOfSignature() {
  SiteRecord site;
  site.identity = "signature";
  return site;
}

}  // namespace starling
