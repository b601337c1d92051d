#include "nn/weights.h"

#include <algorithm>

#include "base/error.h"

namespace tintype {
namespace {

std::string joined(const std::string& a, std::string_view b) {
  return a.empty() ? std::string(b) : concat_text(a, ".", b);
}

}  // namespace

Binding::Binding(std::shared_ptr<const WeightIndex> index, std::string label, std::string prefix,
                 const NameLayout& layout)
    : index_(std::move(index)),
      label_(std::move(label)),
      prefix_(std::move(prefix)),
      layout_(layout) {}

std::vector<RowSlice> Binding::find(const std::string& module, std::string_view leaf) {
  std::vector<RowSlice> out;
  std::string missing;
  for (const StoredRows& s : stored_rows(layout_.rules, module)) {
    const std::string name = prefix_ + joined(s.module, leaf);
    const Parameter* p = index_->find(name);
    if (!p) {
      missing = name;
      continue;
    }
    check(p->rows() % s.parts == 0, ErrorCode::kBadFile, index_->path(), ": ", name, " has ",
          p->rows(), " rows, which cannot be cut into ", s.parts, " equal parts");
    const Dim rows = p->rows() / s.parts;
    used_.insert(p);
    out.push_back({p, rows * s.part, rows});
  }
  check(out.empty() || missing.empty(), ErrorCode::kBadFile, index_->path(), ": ", missing,
        " is missing, though other parts of ", module, " are there");
  return out;
}

Weights Weights::at(const std::string& child) const {
  return Weights(*binding_, joined(module_, child));
}

Weights Weights::at(const std::string& list, int index) const {
  return at(concat_text(list, ".", index));
}

bool Weights::has(std::string_view leaf) const { return !find(leaf).empty(); }

std::vector<RowSlice> Weights::rows(std::string_view leaf) const {
  std::vector<RowSlice> out = find(leaf);
  if (!out.empty()) return out;
  const auto stored = stored_rows(binding_->layout().rules, module_);
  const std::string name = binding_->prefix() + joined(stored[0].module, leaf);
  const auto& others = binding_->index().others;
  const auto unread = others.find(name);
  if (unread != others.end())
    fail(ErrorCode::kBadFile, binding_->index().path(), ": ", name, " is ", unread->second.dtype,
         ", which cannot be a weight of ", binding_->label());
  fail(ErrorCode::kBadFile, binding_->index().path(), ": ", name, " is missing, ",
       binding_->label(), " needs it");
}

Shape Weights::shape(std::string_view leaf) const {
  const std::vector<RowSlice> slices = rows(leaf);
  const Parameter& first = *slices[0].parameter;
  Shape shape = first.shape;
  if (shape.rank() == 0) return shape;
  shape[0] = 0;
  for (const RowSlice& s : slices) {
    check(s.parameter->cols() == first.cols(), ErrorCode::kBadFile, binding_->index().path(),
          ": the parts of ", module_, ".", leaf, " have ", first.cols(), " and ",
          s.parameter->cols(), " columns, needs equal ones");
    shape[0] += s.rows;
  }
  return shape;
}

std::string Weights::where() const {
  const std::string place = binding_->index().path() + ": " + binding_->label();
  return module_.empty() ? place : place + ": " + module_;
}

int Weights::count(const std::string& list, std::initializer_list<const char*> modules) const {
  int n = 0;
  while (std::ranges::any_of(modules, [&](const char* m) { return at(list, n).at(m).has(); })) ++n;
  return n;
}

}  // namespace tintype
