// The program `simhash-find-clusters`.
#include "faces/cli/hash_list_program.h"

int main(int argc, char** argv) {
  return refrain::cli::run_hash_list(argc, argv, "simhash-find-clusters",
                                     "Prints the clusters of hashes that differ in few bits, as [a, b, ...]",
                                     refrain::find_clusters);
}
