#include "mpi/execution/call_kind.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace starling {
namespace {

constexpr std::int16_t kOther = -1;
constexpr std::int16_t kUserNonCommutative = 1000;

// Up to about there Open MPI 4.1 hands over whole vectors, with most numbers of ranks. It is the greatest length of a
// size class, so that all calls of a key are alike.
constexpr std::int64_t kWholeUserBytes = 8192;

}  // namespace

CallKind classifyCall(int count, MPI_Datatype datatype, MPI_Op op) {
  CallKind kind;
  kind.signature.count = count;
  kind.reducer.datatype = datatype;
  kind.reducer.operation = op;
  const std::optional<ElementType> type = elementType(datatype);
  const std::optional<Operation> operation = starling::operation(op);
  kind.signature.type = type ? static_cast<std::int16_t>(*type) : kOther;
  kind.signature.operation = operation ? static_cast<std::int16_t>(*operation) : kOther;
  if (operation == Operation::kUser) {
    int commutative = 1;
    PMPI_Op_commutative(op, &commutative);
    kind.signature.commutative = commutative != 0;
    if (commutative == 0) kind.signature.operation = kUserNonCommutative;
  }
  if (!type) {
    MPI_Count size = 0;
    PMPI_Type_size_x(datatype, &size);
    // What a call has is a number, too, where elements of a type of the program's own are huge.
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() / std::max(count, 1);
    kind.signature.element_size = std::clamp<std::int64_t>(size, 0, most);
    return kind;
  }
  kind.signature.element_size = elementSize(*type);
  if (!operation) return kind;
  kind.reducer.element_size = static_cast<std::size_t>(elementExtent(*type));
  kind.reducer.has_gaps = elementExtent(*type) > elementSize(*type);
  if (*operation == Operation::kUser) {
    kind.tunable = true;
  } else {
    kind.reducer.kernel = reductionKernel(*type, *operation);
    kind.tunable = kind.reducer.kernel != nullptr;
  }
  return kind;
}

bool mayCombineGroups(const CallKind& kind) {
  const bool is_of_program = kind.reducer.kernel == nullptr;
  return kind.tunable && is_of_program && kind.signature.bytes() <= kWholeUserBytes;
}

bool isRefusal(int code) {
  if (code == MPI_SUCCESS) return false;
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(code, &error_class);
  constexpr int kRefusals[] = {MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_OP,
                               MPI_ERR_ROOT,   MPI_ERR_COMM,  MPI_ERR_ARG};
  return std::find(std::begin(kRefusals), std::end(kRefusals), error_class) != std::end(kRefusals);
}

std::size_t largestElementGrowth(std::int16_t type) {
  if (type == kOther) return 1;
  const auto element = static_cast<ElementType>(type);
  return elementExtent(element) > elementSize(element) ? 2 : 1;
}

std::optional<Signature> longestOf(const Key& key) {
  const bool has_type = key.type >= 0 && key.type < kElementTypes;
  const bool has_operation = key.operation >= 0 && key.operation < static_cast<std::int16_t>(Operation::kUser);
  if (!has_type || !has_operation) return std::nullopt;
  Signature signature{.type = key.type, .operation = key.operation};
  signature.element_size = elementSize(static_cast<ElementType>(key.type));
  signature.count = std::max<std::int64_t>((std::int64_t{1} << key.size_class) / signature.element_size, 1);
  return signature;
}

std::optional<Key> ownKeyNamed(std::string_view type, std::string_view operation, std::int32_t size_class) {
  Key key{.size_class = size_class};
  while (key.type < kElementTypes && typeName(key.type) != type) ++key.type;
  while (key.operation < kOperations && operationName(key.operation) != operation) ++key.operation;
  return longestOf(key) ? std::optional(key) : std::nullopt;
}

std::string typeName(std::int16_t type) {
  return type == kOther ? kDerivedType : elementTypeName(static_cast<ElementType>(type));
}

std::string operationName(std::int16_t operation) {
  if (operation == kOther) return kOtherOperation;
  if (operation == kUserNonCommutative) return kUserNonCommutativeOperation;
  return operationName(static_cast<Operation>(operation));
}

}  // namespace starling
