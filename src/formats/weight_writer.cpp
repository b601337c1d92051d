#include "formats/weight_writer.h"

#include "base/error.h"

namespace tintype {

WeightWriter::WeightWriter(const std::string& path, bool replace, std::span<const std::byte> header,
                           std::vector<uint64_t> sizes, uint64_t alignment)
    : file_(path, replace), sizes_(std::move(sizes)), alignment_(alignment) {
  file_.write(header);
}

void WeightWriter::write(std::span<const std::byte> bytes) {
  TINTYPE_ASSERT(tensor_ < sizes_.size() && bytes.size() <= sizes_[tensor_] - written_);
  file_.write(bytes);
  written_ += bytes.size();
  if (written_ < sizes_[tensor_]) return;
  file_.write(std::vector<std::byte>((alignment_ - written_ % alignment_) % alignment_));
  ++tensor_;
  written_ = 0;
}

void WeightWriter::commit() {
  TINTYPE_ASSERT(tensor_ == sizes_.size());
  file_.commit();
}

}  // namespace tintype
