#include "base/signature_names.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace starling {
namespace {

// In the order of ElementType.
constexpr std::array<const char*, kElementTypes> kTypeNames{"int8",
                                                            "int16",
                                                            "int32",
                                                            "int64",
                                                            "uint8",
                                                            "uint16",
                                                            "uint32",
                                                            "uint64",
                                                            "float",
                                                            "double",
                                                            "long_double",
                                                            "complex_float",
                                                            "complex_double",
                                                            "complex_long_double",
                                                            "bool",
                                                            "logical",
                                                            "byte",
                                                            "short_int",
                                                            "two_int",
                                                            "long_int",
                                                            "float_int",
                                                            "double_int",
                                                            "long_double_int",
                                                            "two_float",
                                                            "two_double"};

// In the order of Operation.
constexpr std::array<const char*, kOperations> kOperationNames{
    "sum",         "product",    "max",         "min",    "logical_and", "logical_or", "logical_xor",
    "bitwise_and", "bitwise_or", "bitwise_xor", "maxloc", "minloc",      "user"};

}  // namespace

const char* elementTypeName(ElementType type) { return kTypeNames[static_cast<std::size_t>(type)]; }

const char* operationName(Operation operation) { return kOperationNames[static_cast<std::size_t>(operation)]; }

bool isTypeName(std::string_view name) {
  if (name.ends_with(kOnDevice)) name.remove_suffix(std::string_view(kOnDevice).size());
  return name == kDerivedType || std::ranges::find(kTypeNames, name) != kTypeNames.end();
}

bool isOperationName(std::string_view name) {
  return name == kOtherOperation || name == kUserNonCommutativeOperation ||
         std::ranges::find(kOperationNames, name) != kOperationNames.end();
}

}  // namespace starling
