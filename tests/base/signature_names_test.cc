#include "base/signature_names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace starling {
namespace {

TEST(SignatureNames, areThoseOfTheDatabase) {
  EXPECT_STREQ(elementTypeName(ElementType::kFloat), "float");
  EXPECT_STREQ(elementTypeName(ElementType::kInt32), "int32");
  EXPECT_STREQ(elementTypeName(ElementType::kDoubleInt), "double_int");
  EXPECT_STREQ(operationName(Operation::kSum), "sum");
  EXPECT_STREQ(operationName(Operation::kMaximum), "max");
  EXPECT_STREQ(operationName(Operation::kLogicalXor), "logical_xor");
  EXPECT_STREQ(operationName(Operation::kUser), "user");
}

TEST(SignatureNames, differ) {
  std::set<std::string> types;
  for (int type = 0; type < kElementTypes; ++type) types.insert(elementTypeName(static_cast<ElementType>(type)));
  EXPECT_EQ(types.size(), static_cast<std::size_t>(kElementTypes));
  std::set<std::string> operations;
  for (int code = 0; code < kOperations; ++code) operations.insert(operationName(static_cast<Operation>(code)));
  EXPECT_EQ(operations.size(), static_cast<std::size_t>(kOperations));
}

TEST(SignatureNames, areKnownAgain) {
  for (int type = 0; type < kElementTypes; ++type) {
    const std::string name = elementTypeName(static_cast<ElementType>(type));
    EXPECT_TRUE(isTypeName(name)) << name;
    EXPECT_TRUE(isTypeName(name + kOnDevice)) << name;
    EXPECT_FALSE(isOperationName(name)) << name;
  }
  for (int code = 0; code < kOperations; ++code) {
    EXPECT_TRUE(isOperationName(operationName(static_cast<Operation>(code)))) << code;
  }
  EXPECT_TRUE(isTypeName(kDerivedType));
  EXPECT_TRUE(isOperationName(kOtherOperation));
  EXPECT_TRUE(isOperationName(kUserNonCommutativeOperation));
}

TEST(SignatureNames, areNotAnyWords) {
  for (const char* name : {"", "quark", "Float", "float ", "float,sum", "_on_device", "float_on_device_on_device"}) {
    EXPECT_FALSE(isTypeName(name)) << name;
    EXPECT_FALSE(isOperationName(name)) << name;
  }
}

}  // namespace
}  // namespace starling
