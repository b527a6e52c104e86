// Leaf kernels compiled for several widths, chosen when the program starts.
#pragma once

// GCC alone builds the clones from C++ with this attribute, and only ELF's loader can pick one;
// elsewhere the baseline is used.
// Sanitizers run before the relocations that pick a clone, so they get the baseline too.
#if defined(__x86_64__) && defined(__ELF__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&                     \
    !defined(GEOTHERM_NO_CLONES)
#define GEOTHERM_WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define GEOTHERM_WIDE
#endif

// Before a short loop over the entries of one vector: GCC would take it apart into single entries
// before it looks for vectors.
#if defined(__GNUC__) && !defined(__clang__)
#define GEOTHERM_AS_A_LOOP _Pragma("GCC unroll 1")
#else
#define GEOTHERM_AS_A_LOOP
#endif
