// A text represents an attachment by a line of its own, with the attachment's name if it has one, its type, its size
// and a checksum of its content.
//
//   [attachment: report.pdf, application/pdf, 48213 bytes, 9c1185a5c5e9fc54612808977ee8f548]
//
// The reader of messages writes such lines, and the rule by which texts may be removed looks for them. Because they
// are part of the text, the rule also holds for texts that were exported and are read again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace refrain {

// The line for an attachment, without a line break. Characters that would break the line up are replaced; a long name
// is shortened.
std::string attachment_line(std::string_view name, std::string_view type, std::string_view content);

// Whether any line of the text represents an attachment.
bool has_attachments(std::string_view text);

// The number of different attachments of `text` that are not attachments of `other`, up to 65,535. Attachments are the
// same if their type, size and checksum are; names do not count. Takes time linear in the texts, and does not read
// `other` if `text` has none.
std::uint16_t attachments_lost(std::string_view text, std::string_view other);

}  // namespace refrain
