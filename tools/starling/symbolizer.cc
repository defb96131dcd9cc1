#include "symbolizer.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "plain_file.h"

namespace starling::cli {
namespace {

struct EndDwfl {
  void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         std::free);
  return status == 0 && text ? text.get() : name;
}

std::string lowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string buildIdOf(Dwfl_Module* module) {
  const unsigned char* bits = nullptr;
  GElf_Addr address = 0;
  const int size = dwfl_module_build_id(module, &bits, &address);
  std::string text;
  for (int i = 0; i < size; ++i) text += fmt::format("{:02x}", bits[i]);
  return text;
}

// Holds one opened file. A file that cannot be read has no build id.
class Module {
 public:
  explicit Module(const std::string& path) {
    static const Dwfl_Callbacks kCallbacks = {.find_elf = dwfl_build_id_find_elf,
                                              .find_debuginfo = dwfl_standard_find_debuginfo,
                                              .section_address = dwfl_offline_section_address,
                                              .debuginfo_path = nullptr};
    dwfl_.reset(dwfl_begin(&kCallbacks));
    if (!dwfl_) return;
    dwfl_report_begin(dwfl_.get());
    Descriptor file = openPlainFile(path);
    module_ = file.isOpen() ? dwfl_report_offline(dwfl_.get(), path.c_str(), path.c_str(), file.number()) : nullptr;
    if (module_ != nullptr) file.release();  // it is closed with the module
    dwfl_report_end(dwfl_.get(), nullptr, nullptr);
    if (module_ == nullptr) return;
    // This call also sets the bias.
    if (dwfl_module_getelf(module_, &bias_) == nullptr) return;
    build_id_ = buildIdOf(module_);
  }

  const std::string& buildId() const { return build_id_; }

  Place locate(std::uint64_t offset) const {
    if (offset == 0) return {};
    // The call is before the return address, and may be the last instruction of its function.
    const GElf_Addr address = bias_ + offset - 1;
    Place place;
    GElf_Off distance = 0;
    GElf_Sym symbol;
    if (const char* name = dwfl_module_addrinfo(module_, address, &distance, &symbol, nullptr, nullptr, nullptr)) {
      place.symbol = demangled(name);
    }
    findLine(address, place);
    return place;
  }

 private:
  void findLine(GElf_Addr address, Place& place) const {
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = dwfl_module_addrdie(module_, address, &bias);
    if (unit == nullptr) {
      // That takes a table of what units hold (.debug_aranges), which Clang does not write.
      do {
        unit = dwfl_module_nextcu(module_, unit, &bias);
      } while (unit != nullptr && dwarf_haspc(unit, address - bias) <= 0);
    }
    Dwarf_Line* const line = unit == nullptr ? nullptr : dwarf_getsrc_die(unit, address - bias);
    const char* const file = line == nullptr ? nullptr : dwarf_linesrc(line, nullptr, nullptr);
    if (file == nullptr || dwarf_lineno(line, &place.line) != 0) return;
    Dwarf_Attribute attribute;
    const char* const folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    const std::filesystem::path compiled_in = folder == nullptr ? "" : folder;
    place.file = (compiled_in / file).lexically_normal().string();
  }

  std::unique_ptr<Dwfl, EndDwfl> dwfl_;
  Dwfl_Module* module_ = nullptr;
  GElf_Addr bias_ = 0;
  std::string build_id_;
};

}  // namespace

struct Symbolizer::Modules {
  std::map<std::string, Module> by_path;
};

Symbolizer::Symbolizer() : modules_(std::make_unique<Modules>()) {}
Symbolizer::~Symbolizer() = default;

Place Symbolizer::locate(const std::string& module, const std::string& build_id, std::uint64_t offset) {
  if (module.empty() || build_id.empty()) return {};
  const Module& opened = modules_->by_path.try_emplace(module, module).first->second;
  return opened.buildId() == lowerCase(build_id) ? opened.locate(offset) : Place{};
}

}  // namespace starling::cli
