#include "store/codec.h"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "base/address_space.h"
#include "store/cbor_writer.h"
#include "store/record_json.h"

namespace starling {
namespace {

// Records nest no deeper: batch, list, record, list or key, value. A damaged length or type byte may claim any depth,
// and the library's CBOR parser recurses.
constexpr int kDeepest = 8;

// Walks through CBOR without building anything, and stops where it nests too deeply or is malformed.
class DepthGuard final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ <= kDeepest; }
  bool start_array(std::size_t) override { return ++depth_ <= kDeepest; }
  bool end_object() override { return --depth_ >= 0; }
  bool end_array() override { return --depth_ >= 0; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  int depth_ = 0;
};

// The library's tree needs memory even to be destroyed, and would end the program where there is none: it is only built
// where there is enough.
void expectMemoryForTree(std::size_t encoded_bytes) {
  constexpr std::size_t kTreeBytesPerByte = 128;
  if (!hasHeap(kTreeBytesPerByte * encoded_bytes)) throw std::bad_alloc();
}

Status damaged(std::size_t bytes, const std::string& detail) {
  return Status::error(fmt::format(
      "{} bytes of records from another rank cannot be read ({}); make sure that all ranks use the same build of "
      "Starling",
      bytes, detail));
}

template <typename Records>
Result<Records> decode(std::span<const std::uint8_t> bytes, const char* what) {
  // The library throws on some malformed lengths even when told not to.
  try {
    expectMemoryForTree(bytes.size());
    DepthGuard guard;
    if (!Json::sax_parse(bytes.begin(), bytes.end(), &guard, Json::input_format_t::cbor)) {
      return damaged(bytes.size(), "they are no CBOR of ours");
    }
    Records records;
    const Json json = Json::from_cbor(bytes.begin(), bytes.end());
    if (Status read = fromJson(json, what, records); !read.isOk()) return damaged(bytes.size(), read.message());
    return records;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& fault) {
    return damaged(bytes.size(), fault.what());
  }
}

}  // namespace

std::vector<std::uint8_t> encodeBatch(const Batch& batch) {
  CborWriter writer;
  writer.write(batch);
  return std::move(writer).finish();
}

Result<Batch> decodeBatch(std::span<const std::uint8_t> bytes) { return decode<Batch>(bytes, "batch"); }

std::vector<std::uint8_t> encodePolicies(const std::vector<PolicyRecord>& policies) {
  CborWriter writer;
  writer.write(policies);
  return std::move(writer).finish();
}

Result<std::vector<PolicyRecord>> decodePolicies(std::span<const std::uint8_t> bytes) {
  return decode<std::vector<PolicyRecord>>(bytes, "policies");
}

}  // namespace starling
