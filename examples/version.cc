// Prints the version, and how far apart the fingerprints of two sentences are.
#include <bit>
#include <iostream>

#include "refrain/fingerprint.h"
#include "refrain/version.h"

int main() {
  std::cout << "refrain " << refrain::kVersion << '\n';

  const refrain::Fingerprinter fingerprinter(refrain::FingerprintOptions{});
  const auto one = fingerprinter("The council met on Monday to talk about the old bridge over the river.");
  const auto other = fingerprinter("The council met on Tuesday to talk about the old bridge over the river.");
  if (!one || !other) return 1;
  std::cout << std::popcount(*one ^ *other) << " of 64 bits differ\n";
}
