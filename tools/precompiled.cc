// Empty: compiling it precompiles its headers.
