#include "element_type.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "base/nearest_word.h"

namespace starling::cli {
namespace {

struct ElementType {
  const char* name;
  std::int64_t bytes;
};

constexpr ElementType kTypes[] = {{"int8", 1},   {"uint8", 1}, {"int16", 2},  {"uint16", 2}, {"int32", 4},
                                  {"uint32", 4}, {"int64", 8}, {"uint64", 8}, {"float", 4},  {"double", 8}};

}  // namespace

Result<Bytes> parseElementType(std::string_view name) {
  std::string known;
  for (const ElementType& type : kTypes) {
    if (name == type.name) return Bytes{type.bytes};
    known += (known.empty() ? "" : ", ") + std::string(type.name);
  }
  return Status::error(fmt::format("there is no type '{}': use one of {}{}", name, known,
                                   didYouMean(name, kTypes, [](const ElementType& type) { return type.name; })));
}

}  // namespace starling::cli
