// Queries about paths that distinguish "does not exist" from "cannot tell".
//
// std::filesystem treats a path that cannot be examined like one that does not exist; code that relies on this
// deletes or skips files that are only out of reach. Here only ENOENT and ENOTDIR mean "does not exist"; anything
// else is Error(io).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace refrain {

enum class PathKind { none, file, folder, other };

// The kind of file that a path leads to. Links are followed; a link that leads nowhere is `none`.
PathKind path_kind(const std::filesystem::path& path);

// Whether the name is taken, even if by a link that leads nowhere.
bool is_taken(const std::filesystem::path& path);

// Whether the path is a link, wherever it leads.
bool is_link(const std::filesystem::path& path);

// The size of a file. Links are followed. Throws Error(not_found) if there is no file.
std::uint64_t file_bytes(const std::filesystem::path& path);

// The names in a folder, in byte order. Empty if there is no such folder.
std::vector<std::string> list_folder(const std::filesystem::path& folder);

// Calls `each` with the path of every regular file below a folder, relative to it, in byte order of the folders' names.
// Links are not followed.
void for_each_file(const std::filesystem::path& folder,
                   const std::function<void(const std::filesystem::path& below)>& each);

// The folder that relative paths start from. Throws Error(io) if it has no path because it was removed.
std::filesystem::path current_folder();

// Makes a relative path absolute by putting the current folder before it.
std::filesystem::path absolute_path(const std::filesystem::path& path);

// Whether `path` is `folder` or lies below it. Both are made absolute first, with links resolved as far as they
// exist.
bool is_within(const std::filesystem::path& path, const std::filesystem::path& folder);

// Makes a rename in `folder` survive a power failure. Throws Error(over_budget) if the disk is full, else Error(io).
void sync_folder(const std::filesystem::path& folder);

// Writes all data of the file system that contains `folder` to the disk.
void sync_filesystem(const std::filesystem::path& folder);

// Renames, replacing an existing `to`. Throws Error(over_budget) if the disk is full, busy if `to` is a folder with
// something in it, else io.
void rename_checked(const std::filesystem::path& from, const std::filesystem::path& to);

// Removes a file or an empty folder, if it exists. Throws Error(io) if that fails.
void remove_checked(const std::filesystem::path& path);

// Creates one folder, whose parent must exist. Throws Error(over_budget) if the disk is full, else Error(io).
void make_folder(const std::filesystem::path& folder);

// Creates a folder and missing folders above it, so that they survive a power failure. Throws as make_folder() does,
// and Error(invalid_argument) if a file is in the way, because the output was named wrongly.
void make_folders(const std::filesystem::path& folder);

}  // namespace refrain
