// What a picture's file says about how it was made: enough to make it again, byte for byte.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tintype/engine.h"
#include "tintype/image.h"

namespace tintype {

// A weight file that took part, wherever it lies.
struct FileRecord {
  std::string role;  // denoiser, clip, t5, vae: the option that names it
  std::string name;
  uint64_t bytes = 0;
  std::string header_hash;
};

struct PictureRecord {
  std::string version;   // of the program
  Request request;       // without files
  EngineOptions engine;  // what decides about the result: not threads, budget or load
  std::vector<FileRecord> files;
};

PictureRecord record_of(const Result& result, const EngineOptions& engine);

// Text chunks for the file: `parameters`, as stable-diffusion-webui writes it and many programs
// read it, and `tintype`, our JSON. Times and paths are left out: the same command gives the same
// bytes.
std::vector<TextChunk> record_texts(const PictureRecord& record);

// The record in the chunks of `path`. Throws kUsage if there is none, kBadFile if it is damaged.
PictureRecord read_record(const std::vector<TextChunk>& texts, const std::string& path);

}  // namespace tintype
