#include "base/transports.h"

#include <algorithm>
#include <cstdlib>

namespace starling {

namespace {

std::string_view toldBy(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string_view chosenTransports() { return toldBy("OMPI_MCA_btl"); }

std::string_view chosenSingleCopies() { return toldBy("OMPI_MCA_btl_vader_single_copy_mechanism"); }

bool readsMemory(std::string_view mechanism) { return mechanism != "none" && mechanism != "emulated"; }

bool sharesMemory(std::string_view btl) {
  if (btl.empty()) return true;
  const bool names_what_is_left_out = btl.front() == '^';
  if (names_what_is_left_out) btl.remove_prefix(1);
  bool names_shared_memory = false;
  while (!btl.empty()) {
    const std::string_view name = btl.substr(0, btl.find(','));
    names_shared_memory = names_shared_memory || name == "vader" || name == "sm";
    btl.remove_prefix(std::min(name.size() + 1, btl.size()));
  }
  return names_shared_memory != names_what_is_left_out;
}

}  // namespace starling
