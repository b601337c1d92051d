// Vocabularies that are part of the program: assets/vocab, embedded by cmake/embed.cmake.
#pragma once

#include <string_view>

namespace tintype {

std::string_view clip_merges();      // clip/merges.txt
std::string_view t5_spiece_model();  // t5/spiece.model

}  // namespace tintype
