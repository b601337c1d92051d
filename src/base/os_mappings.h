// The mapped files of this process, where a signal handler can find them.
//
// A page of a mapping that cannot be read, because the file was cut or its disk failed, raises
// SIGBUS in whatever thread touched it. The handler here puts zeros in place of the page and of
// all that follow it, and marks the mapping as damaged; a SIGBUS from anywhere else goes to the
// handler that was there before.
#pragma once

#include <cstddef>
#include <span>

namespace tintype {

// Returns the mapping's slot, or -1 where the table is full. Installs the handler at first use.
int add_mapping(std::span<const std::byte> mapping);
// To be called before the memory is unmapped.
void remove_mapping(int slot);
bool mapping_damaged(int slot);

// Whether `bytes` lie inside one mapping of the table.
bool in_mapping(std::span<const std::byte> bytes);

}  // namespace tintype
