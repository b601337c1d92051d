// Damaged, hostile and merely unexpected files: each is refused with a sentence that names the file
// and what is wrong.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "formats/weight_index.h"
#include "support/memory_file.h"
#include "support/weight_files.h"

namespace tintype::test {
namespace {

using Bytes = std::vector<std::byte>;

struct Row {
  const char* name;
  Bytes bytes;
  const char* expected;  // part of the message
};

class CorruptFile : public testing::TestWithParam<Row> {};

TEST_P(CorruptFile, IsRefused) {
  try {
    parse_weights(memory_file(GetParam().bytes));
    FAIL() << "was accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadFile);
    EXPECT_TRUE(std::string(e.what()).starts_with("FILE: ")) << e.what();
    EXPECT_NE(std::string(e.what()).find(GetParam().expected), std::string::npos) << e.what();
  }
}

std::string row_name(const testing::TestParamInfo<Row>& info) { return info.param.name; }

Bytes cut(Bytes bytes, size_t size) {
  bytes.resize(size);
  return bytes;
}

Bytes grown(Bytes bytes, size_t by) {
  bytes.resize(bytes.size() + by);
  return bytes;
}

// ---- no weight file at all

const Row kKinds[] = {
    {"Empty", {}, "is empty"},
    {"ZipCheckpoint", bytes_of("PK\x03\x04 archive/data.pkl"), "zip archive"},
    {"Pickle", bytes_of("\x80\x02}q"), "is a pickle"},
    {"LfsPointer", bytes_of("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n"),
     "Git-LFS pointer"},
    {"Html", bytes_of("\n <!DOCTYPE html><html>Sign in</html>"), "web page"},
    {"Json", bytes_of("{\"error\": \"not found\"}"), "text file"},
    {"Text", bytes_of("hello"), "text file"},
    {"Zeros", Bytes(64), "begins with zeros"},
    {"Picture", bytes_of("\x89PNG\r\n\x1a\n"), "PNG picture"},
    {"OldGgml", bytes_of("tjgg\1\2\3"), "before GGUF"},
    {"Noise", bytes_of("\1\2\3\4\5\6\7\x81\x90\x91"), "unknown kind"},
};
INSTANTIATE_TEST_SUITE_P(Kind, CorruptFile, testing::ValuesIn(kKinds), row_name);

// ---- safetensors: the container

Bytes one(std::string_view item, size_t data = 16) {
  return safetensors("{\"a\":" + std::string(item) + "}", data);
}

Bytes two(std::string_view begin, std::string_view end) {
  return safetensors(R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},)"
                     R"("b":{"dtype":"U8","shape":[8],"data_offsets":[)" +
                         std::string(begin) + "," + std::string(end) + "]}}",
                     16);
}

Bytes long_header() {
  Bytes bytes = one("{}");
  bytes[3] = std::byte{0x10};  // 2^28 bytes
  return bytes;
}

const std::string kGood = R"({"dtype":"F32","shape":[2,2],"data_offsets":[0,16]})";

const Row kSafetensors[] = {
    {"HeaderTooLong", long_header(), "header of 268435"},
    {"HeaderCut", cut(one(kGood), 30), "download is incomplete"},
    {"HeaderNoJson", safetensors("{\"a\":", 0), "is not valid JSON"},
    {"HeaderTail", safetensors("{} x", 0), "is not valid JSON"},
    {"BadUtf8", safetensors("{\"\xff\":1}", 0), "is not valid JSON"},
    {"DeepJson", one(std::string(100, '[') + std::string(100, ']')), "nested over 16"},
    {"DuplicateName", safetensors("{\"a\":" + kGood + ",\"a\":" + kGood + "}", 16),
     "the key a occurs twice"},
    {"DuplicateField", one(R"({"dtype":"F32","dtype":"F32","shape":[],"data_offsets":[0,4]})"),
     "the key dtype occurs twice"},
    {"NotAnObject", one("7"), "FILE: a: needs dtype, shape and data_offsets"},
    {"MissingOffsets", one(R"({"dtype":"F32","shape":[2,2]})"), "FILE: a: needs dtype"},
    {"UnknownField", one(R"({"dtype":"F32","shape":[4],"data_offsets":[0,16],"x":1})"),
     "and nothing else"},
    {"UnknownDtype", one(R"({"dtype":"F4","shape":[4],"data_offsets":[0,2]})"),
     "FILE: a: has the unknown dtype F4"},
    {"NegativeShape", one(R"({"dtype":"F32","shape":[-4],"data_offsets":[0,16]})"),
     "FILE: a: needs whole numbers as its shape"},
    {"FractionalShape", one(R"({"dtype":"F32","shape":[4.0],"data_offsets":[0,16]})"),
     "whole numbers"},
    {"ShapeWraps",
     one(R"({"dtype":"F32","shape":[274877906944,274877906944,2],"data_offsets":[0,0]})"),
     "which no file can hold"},
    {"ManyAxes", one(R"({"dtype":"U8","shape":[1,1,1,1,1,1,1],"data_offsets":[0,1]})"),
     "FILE: a: has 7 axes"},
    {"OffsetsReversed", one(R"({"dtype":"F32","shape":[2,2],"data_offsets":[16,0]})"),
     "two ascending whole numbers"},
    {"OffsetsNegative", one(R"({"dtype":"F32","shape":[2,2],"data_offsets":[-16,0]})"),
     "two ascending whole numbers"},
    {"OffsetsThree", one(R"({"dtype":"F32","shape":[2,2],"data_offsets":[0,8,16]})"),
     "two ascending whole numbers"},
    {"OffsetsHuge", one(R"({"dtype":"F32","shape":[2,2],"data_offsets":[0,18446744073709551616]})"),
     "two ascending whole numbers"},
    {"SizeTooSmall", one(R"({"dtype":"F32","shape":[2,2],"data_offsets":[0,12]})"),
     "FILE: a: has 12 bytes, but F32 [2, 2] needs 16"},
    {"SizeOfEmpty", one(R"({"dtype":"F32","shape":[0],"data_offsets":[0,16]})"), "needs 0"},
    {"Overlap", two("4", "12"), "FILE: b: has bytes 4..12, which overlap those of a"},
    {"SameRange", two("0", "8"), "overlap"},
    {"Hole", two("9", "17"), "FILE: b: starts at byte 9, but a ends at 8"},
    {"LateStart", one(R"({"dtype":"U8","shape":[8],"data_offsets":[8,16]})"),
     "but the header ends at 0"},
    {"EmptyInside",
     safetensors(R"({"a":{"dtype":"U8","shape":[16],"data_offsets":[0,16]},)"
                 R"("b":{"dtype":"U8","shape":[0],"data_offsets":[8,8]}})",
                 16),
     "FILE: b: has bytes 8..8, which overlap"},
    {"Truncated", cut(one(kGood), one(kGood).size() - 12),
     "has 69 of 81 bytes (85 %), so the download is incomplete; a is"},
    {"Surplus", grown(one(kGood), 5), "has 5 surplus bytes after its last tensor, a"},
    {"EmptyName", safetensors("{\"\":" + kGood + "}", 16), "tensor without a name"},
    {"ControlName", safetensors("{\"a\\u0000b\":" + kGood + "}", 16),
     "FILE: a?b: has control characters"},
    {"LongName", safetensors("{\"" + std::string(2000, 'a') + "\":" + kGood + "}", 16),
     "has a name of 2000 bytes"},
    {"MetadataNumber", safetensors("{\"__metadata__\":{\"x\":1}}", 0),
     "__metadata__: needs a string as x"},
    {"MetadataList", safetensors("{\"__metadata__\":[]}", 0), "__metadata__: needs to be"},
};
INSTANTIATE_TEST_SUITE_P(Safetensors, CorruptFile, testing::ValuesIn(kSafetensors), row_name);

// ---- safetensors: what belongs together

constexpr std::string_view kInt8 = R"({"format":"int8_tensorwise"})";
constexpr std::string_view kFp8 = R"({"format":"float8_e4m3fn"})";

Stored int8(std::string shape = "[2,4]", size_t count = 8) {
  return codes("x.weight", "I8", std::move(shape), count, 1);
}
Stored fp8() { return codes("x.weight", "F8_E4M3", "[2,4]", 8, 0x38); }
Stored scale(std::string shape = "[2,1]", const std::vector<float>& values = {0.01f, 0.01f}) {
  return f32("x.weight_scale", std::move(shape), values);
}

Bytes convrot(Dim columns, int group) {
  return safetensors({int8("[2," + std::to_string(columns) + "]", static_cast<size_t>(2 * columns)),
                      scale(),
                      marker("x.comfy_quant", R"({"format":"int8_tensorwise","convrot":true,)"
                                              R"("convrot_groupsize":)" +
                                                  std::to_string(group) + "}")});
}

Bytes marked(std::string_view json) {
  return safetensors({int8(), scale(), marker("x.comfy_quant", json)});
}

Bytes in_metadata(std::string_view layers) {
  std::string text = "{\"layers\":" + std::string(layers) + "}", quoted;
  for (const char c : text) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
  return safetensors({int8(), scale(), marker("x.comfy_quant", kInt8)},
                     "{\"_quantization_metadata\":\"" + quoted + "\"}");
}

const Row kLayers[] = {
    {"Int8Unmarked", safetensors({int8(), scale()}), "x.weight: has I8 codes, but needs a comfy"},
    {"Int8Bare", safetensors({int8()}), "x.weight: has I8 codes, but needs a comfy_quant marker"},
    {"U8Bare", safetensors({codes("x.weight", "U8", "[2,4]", 8)}), "x.weight: has U8 codes"},
    {"IntegerWeight", safetensors({codes("x.weight", "I32", "[2]", 8)}),
     "x.weight: has I32 values, needs F32"},
    {"DoubleBias", safetensors({codes("x.bias", "F64", "[1]", 8)}), "x.bias: has F64 values"},
    {"EmptyWeight", safetensors({f32("x.weight", "[0,4]", {})}), "x.weight: has the shape [0, 4]"},
    {"ScaleMissing", safetensors({int8(), marker("x.comfy_quant", kInt8)}),
     "x.weight: has I8 codes, but x.weight_scale is missing"},
    {"Fp8ScaleMissing", safetensors({fp8(), marker("x.comfy_quant", kFp8)}),
     "x.weight: has F8_E4M3 codes, but x.weight_scale is missing"},
    {"WeightMissing", safetensors({scale()}), "x.weight_scale: has no x.weight in the file"},
    {"MarkerAlone", safetensors({marker("x.comfy_quant", kInt8)}),
     "x.comfy_quant: has no x.weight in the file"},
    {"ScaleOfFloats", safetensors({f32("x.weight", "[2,1]", {1, 2}), scale()}),
     "x.weight_scale: needs a quantised weight, but x.weight has F32 values"},
    {"InputScaleAlone", safetensors({fp8(), f32("x.input_scale", "[]", {1})}),
     "x.weight: has F8_E4M3 codes, but x.weight_scale is missing"},
    {"TwoSpellings", safetensors({fp8(), scale(), f32("x.scale_weight", "[]", {1})}),
     "x.weight_scale: is the same as x.scale_weight"},
    {"OldMarkerAlone", safetensors({codes("scaled_fp8", "F8_E4M3", "[0]", 0), fp8()}),
     "scaled_fp8: has no scaled layer"},
    {"MarkerOfFloats",
     safetensors({f32("x.weight", "[2,1]", {1, 2}), scale(), marker("x.comfy_quant", kInt8)}),
     "x.weight: has F32 values, but its marker needs I8"},
    {"MarkerOfWrongCodes", safetensors({int8(), scale(), marker("x.comfy_quant", kFp8)}),
     "x.weight: has I8 values, but its marker needs F8_E4M3 or F8_E5M2"},
    {"MarkerEmpty", marked(""), "x.weight: has I8 values and a scale, but an empty marker"},
    {"MarkerNoJson", marked("{'format'}"), "x.comfy_quant: is not valid JSON"},
    {"MarkerTwice", marked(R"({"format":"int8_tensorwise","format":"float8_e4m3fn"})"),
     "the key format occurs twice"},
    {"MarkerNumber", marked("7"), "x.comfy_quant: needs a JSON object"},
    {"MarkerNoFormat", marked("{}"), "x.comfy_quant: has no format"},
    {"MarkerUnknown", marked(R"({"format":"int9"})"), "x.comfy_quant: has the unknown format int9"},
    {"MarkerLater", marked(R"({"format":"nvfp4"})"), "has the format nvfp4 (NVFP4)"},
    {"MarkerBadFlag", marked(R"({"format":"int8_tensorwise","convrot":"yes"})"),
     "needs true or false as convrot"},
    {"MarkerLong", marked(std::string(70000, ' ')), "x.comfy_quant: has 70000 bytes"},
    {"MarkerDtype", safetensors({int8(), scale(), codes("x.comfy_quant", "I8", "[2]", 2)}),
     "x.comfy_quant: has I8 [2], needs JSON text as U8"},
    {"Fp8Rotated",
     safetensors(
         {fp8(), scale(), marker("x.comfy_quant", R"({"format":"float8_e4m3fn","convrot":true})")}),
     "asks for a rotation"},
    {"ScaleShape",
     safetensors({int8(), scale("[4]", {1, 1, 1, 1}), marker("x.comfy_quant", kInt8)}),
     "x.weight_scale: has the shape [4], needs [] or [2, 1]"},
    {"ScaleTransposed", safetensors({int8(), scale("[1,2]"), marker("x.comfy_quant", kInt8)}),
     "x.weight_scale: has the shape [1, 2]"},
    {"ScaleDtype",
     safetensors({int8(), codes("x.weight_scale", "U8", "[2]", 2), marker("x.comfy_quant", kInt8)}),
     "x.weight_scale: has U8 values, needs F32, F16 or BF16"},
    {"ScaleNan",
     safetensors(
         {int8(), scale("[2,1]", {0.01f, __builtin_nanf("")}), marker("x.comfy_quant", kInt8)}),
     "x.weight_scale: holds nan"},
    {"ScaleInfinite",
     safetensors({fp8(), scale("[]", {__builtin_inff()}), marker("x.comfy_quant", kFp8)}),
     "x.weight_scale: holds inf"},
    {"ScaleNegative", safetensors({fp8(), scale("[]", {-1.0f}), marker("x.comfy_quant", kFp8)}),
     "x.weight_scale: holds -1"},
    {"ScaleAbsurd", safetensors({int8(), scale("[]", {500.0f}), marker("x.comfy_quant", kInt8)}),
     "x.weight: holds a weight of 500"},
    {"ScaleLost",
     safetensors({codes("y.weight", "F8_E4M3", "[2,4]", 8, 0x7e), fp8(), scale(),
                  marker("x.comfy_quant", kFp8)}),
     "y.weight: holds a weight of 448"},
    {"Int8Vector", safetensors({int8("[8]"), scale("[]", {0.01f}), marker("x.comfy_quant", kInt8)}),
     "x.weight: has the shape [8], needs at least two axes"},
    {"Group128", convrot(256, 128), "x.weight: has rotation groups of 128 columns"},
    {"NarrowIs128", convrot(128, 256), "x.weight: has rotation groups of 128 columns"},
    {"GroupDoesNotDivide", convrot(320, 256), "x.weight: has 320 input columns"},
    {"GroupHuge", convrot(256, 4096), "needs 4, 16, 64, 256 or 1024"},
    {"Nvfp4Unmarked",
     safetensors({codes("x.weight", "U8", "[2,4]", 8), f32("x.weight_scale_2", "[]", {1})}),
     "x.weight_scale_2: belongs to NVFP4"},
    {"Nunchaku",
     safetensors({codes("x.qweight", "I8", "[2,4]", 8), codes("x.wscales", "BF16", "[4]", 8)}),
     "x.qweight: belongs to"},
    {"Bitsandbytes",
     safetensors({codes("x.weight", "U8", "[8]", 8), f32("x.weight.absmax", "[1]", {1})}),
     "belongs to bitsandbytes"},
    {"Stray",
     safetensors({int8(), scale(), marker("x.comfy_quant", kInt8), f32("x.shift", "[1]", {1})}),
     "x.shift: belongs to a quantised layer"},
    {"MetadataContradicts", in_metadata(R"({"x":{"format":"float8_e4m3fn"}})"), "contradicts"},
    {"MetadataRotationContradicts",
     in_metadata(R"({"x":{"format":"int8_tensorwise","convrot":true}})"), "contradicts"},
    {"MetadataOrphan", in_metadata(R"({"y":{"format":"int8_tensorwise"}})"),
     "_quantization_metadata: y: has no weight in the file"},
    {"MetadataLayersList", in_metadata("[]"), "needs an object named layers"},
};
INSTANTIATE_TEST_SUITE_P(Layers, CorruptFile, testing::ValuesIn(kLayers), row_name);

// ---- GGUF

constexpr uint32_t kF32Type = 0, kQ5Type = 13, kU32 = 4, kI32 = 5, kStringType = 8, kArray = 9;

Gguf tensors(uint64_t count) { return Gguf(count, 0); }
Gguf pair(std::string_view key, uint32_t type) {
  Gguf out(0, 1);
  out.text(key).u32(type);
  return out;
}
Bytes with_alignment(uint32_t value) {
  return pair("general.alignment", kU32).u32(value).data(0).bytes();
}
Bytes with_shape(const std::vector<uint32_t>& dims) {
  Gguf out(1, 1);
  out.text("comfy.gguf.orig_shape.a").u32(kArray).u32(kI32).u64(dims.size());
  for (const uint32_t d : dims) out.u32(d);
  return out.info("a", {8}, kF32Type, 0).data(32).bytes();
}

const Row kGguf[] = {
    {"HeaderCut", cut(tensors(0).bytes(), 20), "download is incomplete"},
    {"Version1", Gguf(0, 0, 1).bytes(), "is GGUF version 1, needs 2 or 3"},
    {"Version9", Gguf(0, 0, 9).bytes(), "is GGUF version 9"},
    {"BigEndian", Gguf(0, 0, 0x03000000).bytes(), "big-endian"},
    {"ManyTensors", tensors(uint64_t{1} << 60).bytes(), "announces 1152921504606846976 tensors"},
    {"ManyPairs", Gguf(0, ~uint64_t{0}).bytes(), "announces 18446744073709551615 key-values"},
    {"LongKey", Gguf(0, 1).u64(~uint64_t{0}).zeros(64).bytes(), "a metadata key: has a string of"},
    {"EmptyKey", pair("", kU32).u32(1).bytes(), "metadata key without a name"},
    {"UnknownValue", pair("k", 99).u32(1).bytes(), "FILE: k: has the unknown type 99"},
    {"BadBool", pair("k", 7).u8(2).bytes(), "FILE: k: has 2 as a bool"},
    {"HugeU64", pair("k", 10).u64(~uint64_t{0}).bytes(), "FILE: k: has 18446744073709551615"},
    {"ArrayTooLong", pair("k", kArray).u32(kU32).u64(uint64_t{1} << 62).u32(1).bytes(),
     "FILE: k: has 4611686018427387904 elements, but only 4 bytes"},
    {"ArrayOfArrays", pair("k", kArray).u32(kArray).u64(1).zeros(16).bytes(), "array of arrays"},
    {"ArrayOfUnknown", pair("k", kArray).u32(77).u64(1).zeros(16).bytes(), "unknown type 77"},
    {"StringPastEnd", pair("k", kStringType).u64(1000).u32(0).bytes(), "needs 1000 more"},
    {"LongString", pair("k", kStringType).u64(uint64_t{1} << 40).zeros(16).bytes(),
     "FILE: k: has a string of 1099511627776 bytes"},
    {"DuplicateKey", Gguf(0, 2).text("k").u32(kU32).u32(1).text("k").u32(kU32).u32(1).bytes(),
     "FILE: k: occurs twice"},
    {"AlignmentZero", with_alignment(0), "general.alignment: needs a power of two"},
    {"AlignmentOdd", with_alignment(48), "general.alignment: needs a power of two"},
    {"AlignmentHuge", with_alignment(1u << 30), "general.alignment: needs a power of two"},
    {"AlignmentText", pair("general.alignment", kStringType).text("32").bytes(),
     "general.alignment: needs a power of two"},
    {"NoAxes", tensors(1).info("a", {}, kF32Type, 0).zeros(32).bytes(), "FILE: a: has 0 axes"},
    {"FiveAxes", tensors(1).info("a", {1, 1, 1, 1, 1}, kF32Type, 0).data(4).bytes(),
     "FILE: a: has 5 axes"},
    {"ZeroAxis", tensors(1).info("a", {4, 0}, kF32Type, 0).data(16).bytes(),
     "FILE: a: has an axis of 0"},
    {"NegativeAxis", tensors(1).info("a", {~uint64_t{0}, 2}, kF32Type, 0).data(16).bytes(),
     "FILE: a: has an axis of 18446744073709551615"},
    {"ShapeWraps",
     tensors(1).info("a", {1ull << 40, 1ull << 40, 1ull << 40}, kF32Type, 0).data(16).bytes(),
     "which no file can hold"},
    {"UnreadType", tensors(1).info("a", {256}, 10, 0).data(84).bytes(),
     "FILE: a: has the type Q2_K, needs one of F32, F16"},
    {"UnknownType", tensors(1).info("a", {256}, 77, 0).data(84).bytes(), "has the unknown type 77"},
    {"RemovedType", tensors(1).info("a", {256}, 4, 0).data(84).bytes(), "has the unknown type 4"},
    {"PartOfBlock", tensors(1).info("a", {128, 2}, kQ5Type, 0).data(176).bytes(),
     "FILE: a: has rows of 128 elements, needs a multiple of 256 for Q5_K"},
    {"LongName", tensors(1).info(std::string(128, 'a'), {8}, kF32Type, 0).data(32).bytes(),
     "a tensor name: has a string of 128 bytes"},
    {"EmptyName", tensors(1).info("", {8}, kF32Type, 0).data(32).bytes(), "without a name"},
    {"DuplicateName",
     tensors(2).info("a", {8}, kF32Type, 0).info("a", {8}, kF32Type, 32).data(64).bytes(),
     "FILE: a: occurs twice"},
    {"Overlap", tensors(2).info("a", {8}, kF32Type, 0).info("b", {8}, kF32Type, 0).data(64).bytes(),
     "FILE: b: starts at byte 0 of the data, but the tensors before it need it at 32"},
    {"Hole", tensors(2).info("a", {8}, kF32Type, 0).info("b", {8}, kF32Type, 64).data(96).bytes(),
     "FILE: b: starts at byte 64"},
    {"Unaligned",
     tensors(2).info("a", {4}, kF32Type, 0).info("b", {4}, kF32Type, 16).data(32).bytes(),
     "FILE: b: starts at byte 16"},
    {"OffsetWraps", tensors(1).info("a", {8}, kF32Type, ~uint64_t{31}).data(32).bytes(),
     "FILE: a: starts at byte 18446744073709551584"},
    {"Truncated",
     tensors(2).info("a", {8}, kF32Type, 0).info("b", {8}, kF32Type, 32).data(48).bytes(),
     "has 144 of 160 bytes (90 %), so the download is incomplete; b is"},
    {"Surplus", tensors(1).info("a", {8}, kF32Type, 0).data(33).bytes(), "has 1 surplus bytes"},
    {"SurplusAlone", tensors(0).zeros(100).bytes(), "surplus bytes after a header"},
    {"ShapeElements", with_shape({3, 3}), "orig_shape.a: is [3, 3], but the tensor has 8"},
    {"ShapeNegative", with_shape({0xffffffff, 8}), "orig_shape.a: needs 1 to 6 positive"},
    {"ShapeEmpty", with_shape({}), "orig_shape.a: needs 1 to 6 positive"},
};
INSTANTIATE_TEST_SUITE_P(Gguf, CorruptFile, testing::ValuesIn(kGguf), row_name);

}  // namespace
}  // namespace tintype::test
