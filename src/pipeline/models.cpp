#include "pipeline/models.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "pipeline/strangers.h"

namespace tintype {
namespace {

namespace fs = std::filesystem;

std::string stamp_of(const std::string& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  const auto time = fs::last_write_time(path, error).time_since_epoch().count();
  return concat_text(size, " ", time);
}

// One offer: a component, and how strongly its file was asked for.
struct Offer {
  Component component;
  bool by_role = false;  // --t5 FILE
  bool alone = false;    // the file holds nothing else
};

std::string describe(const std::vector<Offer>& offers) {
  std::string text;
  for (const Offer& o : offers)
    text += concat_text(text.empty() ? "" : ", ", o.component.index->path(), " (",
                        o.component.family_name(), ")");
  return text.empty() ? "none" : text;
}

class Picker {
 public:
  Picker(const Request& request, FileCache& cache, bool strict) : cache_(cache), strict_(strict) {
    for (const std::string& path : request.files) offer_all(path);
    offer_role(request.denoiser, Role::kDenoiser, "", "a denoiser");
    offer_role(request.t5, Role::kText, "t5xxl", "a T5 encoder");
    offer_role(request.clip, Role::kText, "clip_l", "a CLIP-L encoder");
    offer_role(request.vae, Role::kVae, "", "a VAE");
  }

  // The one component of a role, and of a family if `family` is not empty.
  Component pick(Role role, std::string_view family, std::string_view option) {
    std::vector<Offer> fit;
    for (const Offer& o : offers_)
      if (o.component.role == role && (family.empty() || o.component.family_name() == family))
        fit.push_back(o);
    if (fit.empty() && role == Role::kDenoiser)
      for (const Offer& o : offers_) refuse_stranger(*o.component.index);
    check(!fit.empty(), ErrorCode::kUsage, "there is no ", family.empty() ? name(role) : family,
          " among the files, and the model needs one; name it with ", option, "; the files are ",
          describe(offers_));
    const auto rank = [](const Offer& o) { return o.by_role ? 2 : o.alone ? 1 : 0; };
    std::ranges::stable_sort(fit, std::greater(), rank);
    if (fit.size() > 1 && rank(fit[0]) == rank(fit[1]))
      fail(ErrorCode::kUsage, "there are two of ", fit[0].component.family_name(), ": ",
           fit[0].component.index->path(), " and ", fit[1].component.index->path(),
           "; name the one you mean with ", option);
    if (fit.size() > 1 && fit[0].component.index != fit[1].component.index)
      notices.push_back(concat_text(fit[0].component.index->path(), " replaces the ",
                                    fit[1].component.family_name(), " of ",
                                    fit[1].component.index->path()));
    return fit[0].component;
  }

  std::vector<std::string> notices;

 private:
  std::vector<Component> components_of(const std::string& path) {
    const std::shared_ptr<const WeightIndex> index = cache_.open(path);
    std::vector<Component> found = detect(index);
    if (const auto notice = orphan_notice(*index, found)) {
      check(!strict_, ErrorCode::kBadFile, *notice);
      notices.push_back(*notice);
    }
    return found;
  }

  void offer_all(const std::string& path) {
    const auto found = components_of(path);
    check(!found.empty(), ErrorCode::kBadFile, path,
          ": holds no denoiser, text encoder or VAE that tintype knows");
    for (const Component& c : found) offers_.push_back({c, false, found.size() == 1});
  }

  void offer_role(const std::string& path, Role role, std::string_view family,
                  std::string_view wanted) {
    if (path.empty()) return;
    const auto found = components_of(path);
    bool any = false;
    for (const Component& c : found)
      if (c.role == role && (family.empty() || c.family_name() == family)) {
        offers_.push_back({c, true, found.size() == 1});
        any = true;
      }
    check(any, ErrorCode::kUsage, path, ": is ",
          found.empty() ? "nothing known"
                        : concat_text(found[0].family_name(), " (", name(found[0].role), ")"),
          ", not ", wanted);
  }

  FileCache& cache_;
  bool strict_;
  std::vector<Offer> offers_;
};

std::string_view option_of(std::string_view text_family) {
  for (const TextFamily* family : text_families())
    if (family->name == text_family) return family->option;
  return "-m";
}

}  // namespace

std::shared_ptr<const WeightIndex> FileCache::open(const std::string& path) {
  const std::string stamp = stamp_of(path);
  Entry& entry = entries_[path];
  if (!entry.index || entry.stamp != stamp) entry = {read_weights(path, mode_), stamp};
  return entry.index;
}

Models pick_models(const Request& request, FileCache& cache, bool strict) {
  Picker picker(request, cache, strict);
  Models models;
  models.denoiser = load_denoiser(picker.pick(Role::kDenoiser, "", "--denoiser"), strict);
  const Family& family = models.family();
  for (const std::string_view wanted : family.text_encoders) {
    const Component c = picker.pick(Role::kText, wanted, option_of(wanted));
    TextPart part{load_text_encoder(c, strict), nullptr};
    part.tokenizer = c.text->tokenizer(*c.index, part.encoder.model->rows());
    models.text.push_back(std::move(part));
  }
  models.vae = load_vae(picker.pick(Role::kVae, family.vae, "--vae"), strict);
  models.notices = picker.notices;

  const DenoiserSizes sizes = models.denoiser.model->sizes();
  const TextEncoder &context = *models.text.front().encoder.model,
                    &pooled = *models.text.back().encoder.model;
  const auto fits = [&](Dim has, Dim needs, const Component& c, std::string_view what) {
    check(has == needs, ErrorCode::kBadFile, c.index->path(), ": its ", what, " are ", has,
          " wide, the denoiser ", models.denoiser.component.index->path(), " needs ", needs);
  };
  fits(context.width(), sizes.context, models.text.front().encoder.component, "text states");
  if (sizes.pooled > 0)
    fits(pooled.width(), sizes.pooled, models.text.back().encoder.component, "pooled states");
  fits(models.vae.model->channels(), sizes.channels, models.vae.component, "latents");
  return models;
}

}  // namespace tintype
