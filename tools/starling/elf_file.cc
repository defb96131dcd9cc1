#include "elf_file.h"

#include <fmt/format.h>
#include <gelf.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "plain_file.h"

namespace starling::cli {
namespace {

using ElfHandle = std::unique_ptr<Elf, int (*)(Elf*)>;

void readSegments(Elf* elf, ElfFile& file) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return;
  std::size_t size = 0;
  const char* bytes = elf_rawfile(elf, &size);
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr || header.p_type != PT_INTERP) continue;
    if (bytes == nullptr || header.p_offset >= size) continue;
    const char* text = bytes + header.p_offset;
    file.interpreter.assign(text, strnlen(text, size - header.p_offset));
  }
}

// Takes a symbol unless the file keeps it to itself.
void takeSymbol(Elf* elf, std::size_t names, const GElf_Sym& symbol, ElfFile& file) {
  const char* name = elf_strptr(elf, names, symbol.st_name);
  if (name == nullptr || *name == '\0' || GELF_ST_BIND(symbol.st_info) == STB_LOCAL) return;
  (symbol.st_shndx == SHN_UNDEF ? file.undefined : file.defined).insert(name);
}

void readSymbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, ElfFile& file) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) != nullptr) takeSymbol(elf, header.sh_link, symbol, file);
  }
}

// A shared library that was made to be started has an interpreter, too; one without and with this flag is static.
bool isPositionIndependentProgram(Elf_Scn* section, const GElf_Shdr& header) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return false;
  for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, static_cast<int>(i), &entry) == nullptr) continue;
    if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE) != 0) return true;
  }
  return false;
}

void readSections(Elf* elf, ElfFile& file) {
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    // The full table is read, too, because what is linked statically into a program need not be in the dynamic one.
    if (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB) readSymbols(elf, section, header, file);
    if (header.sh_type == SHT_DYNAMIC && isPositionIndependentProgram(section, header)) file.is_executable = true;
  }
}

// The full table names versions, as in "dlsym@GLIBC_2.34".
void dropVersions(std::set<std::string>& names) {
  std::set<std::string> plain;
  for (const std::string& name : names) plain.insert(name.substr(0, name.find('@')));
  names.swap(plain);
}

}  // namespace

Result<ElfFile> readElf(const std::string& path) {
  const Descriptor opened = openPlainFile(path);
  if (!opened.isOpen()) return Status::error(fmt::format("{} cannot be read: {}", path, std::strerror(errno)));
  elf_version(EV_CURRENT);
  const ElfHandle elf(elf_begin(opened.number(), ELF_C_READ, nullptr), elf_end);
  GElf_Ehdr header;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr) {
    return Status::error(path + " is no ELF file, as programs and libraries are");
  }
  ElfFile file;
  file.is_executable = header.e_type == ET_EXEC;
  readSegments(elf.get(), file);
  readSections(elf.get(), file);
  file.is_executable = file.is_executable || !file.interpreter.empty();
  dropVersions(file.defined);
  dropVersions(file.undefined);
  return file;
}

}  // namespace starling::cli
