// Questions about paths whose answer may be "the disk does not say".
//
// std::filesystem takes a path that cannot be looked at for one that is not there, and whoever believes that deletes or
// leaves out what is merely out of reach. Here only ENOENT and ENOTDIR mean "not there"; anything else is Error(io).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace refrain {

enum class PathKind { none, file, folder, other };

// What a path leads to; links are followed, and one that leads nowhere is none.
PathKind path_kind(const std::filesystem::path& path);

// Whether the name is taken, be it by a link that leads nowhere.
bool is_taken(const std::filesystem::path& path);

// The names in a folder, in byte order. None where there is no such folder.
std::vector<std::string> list_folder(const std::filesystem::path& folder);

// Both paths made absolute, links resolved as far as they exist: whether `path` is `folder` or lies below it.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

// Makes a rename in `folder` outlast a power cut. Error(over_budget) where the disk is full, else Error(io).
void sync_folder(const std::filesystem::path& folder);

// Writes to the disk all that was written to files of the file system that `folder` is on.
void sync_filesystem(const std::filesystem::path& folder);

// Renames, replacing what is there. Error(io) where that fails.
void rename_checked(const std::filesystem::path& from, const std::filesystem::path& to);

// Makes one folder, whose parent exists. Error(over_budget) where the disk is full, Error(io) where it cannot be made.
void make_folder(const std::filesystem::path& folder);

// Makes a folder and those above it, where they are not there, so that they outlast a power cut. Throws as make_folder
// does, and Error(invalid_argument) where a file is in the way: the output was named wrongly.
void make_folders(const std::filesystem::path& folder);

}  // namespace refrain
