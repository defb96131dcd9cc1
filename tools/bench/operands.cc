#include "operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace starling::bench {
namespace {

struct ElementRow {
  std::string_view name;
  Element element;
};

constexpr ElementRow kElements[] = {
    {"float", Element::kFloat},   {"double", Element::kDouble}, {"int32", Element::kInt32}, {"int64", Element::kInt64},
    {"uint32", Element::kUint32}, {"uint64", Element::kUint64}, {"char", Element::kChar}};

constexpr OperationRow kOperations[] = {
    {"sum", OperationKind::kSum, false},          {"prod", OperationKind::kProduct, false},
    {"max", OperationKind::kMaximum, false},      {"min", OperationKind::kMinimum, false},
    {"slow-sum", OperationKind::kSum, true},      {"matrix", OperationKind::kMatrix, false},
    {"slow-matrix", OperationKind::kMatrix, true}};

// Returns the row of that name, or null when there is none; then `known` lists all names.
template <typename Row, std::size_t kRows>
const Row* findRow(const Row (&rows)[kRows], std::string_view name, std::string& known) {
  for (const Row& row : rows) {
    if (row.name == name) return &row;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  }
  return nullptr;
}

}  // namespace

std::string_view elementName(Element element) {
  const auto row = std::find_if(std::begin(kElements), std::end(kElements),
                                [element](const ElementRow& known) { return known.element == element; });
  return row->name;
}

Result<OperandChoice> parseOperands(std::string_view type, std::string_view operation) {
  std::string known;
  const OperationRow* row = findRow(kOperations, operation, known);
  if (row == nullptr) return Status::error(fmt::format("there is no operation '{}': use one of {}", operation, known));
  const bool is_matrix = row->kind == OperationKind::kMatrix;
  if (is_matrix && !type.empty() && type != "uint32") {
    return Status::error(fmt::format("{} packs a matrix into a uint32: leave out --type {}", operation, type));
  }
  if (type.empty()) type = is_matrix ? "uint32" : "float";
  known.clear();
  const ElementRow* element = findRow(kElements, type, known);
  if (element == nullptr) return Status::error(fmt::format("there is no type '{}': use one of {}", type, known));
  return OperandChoice{element->element, *row};
}

}  // namespace starling::bench
