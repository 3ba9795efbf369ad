/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cpu_state: what of a thread's processor state a library must leave as it was. The upper halves of the vector
 * registers: XGETBV with ECX = 1 says which parts of the state are in use, where the processor knows it. And the
 * floating-point mode: rounding, masks and flush-to-zero, but not the sticky flags, which every conversion sets.
 */
#ifndef NCZ_CPU_STATE_H
#define NCZ_CPU_STATE_H

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__) || defined(__SSE2__)

#include <cpuid.h>
#include <xmmintrin.h>

#define CPU_STATE_AVX    UINT32_C(0x04) /* upper halves of ymm0 to ymm15 */
#define CPU_STATE_AVX512 UINT32_C(0x40) /* of zmm0 to zmm15 */

static inline uint32_t
cpu_state_xgetbv(uint32_t which)
{
    uint32_t low, high;

    __asm__ volatile(".byte 0x0f, 0x01, 0xd0" /* xgetbv */ : "=a"(low), "=d"(high) : "c"(which));
    return low;
}

/* Dirties the upper half of a register, as a library does that forgets to clean up. */
static inline void
cpu_state_dirty(void)
{
    __asm__ volatile("vxorps %%ymm0, %%ymm0, %%ymm0\n\tvcmptrueps %%ymm0, %%ymm0, %%ymm0" : : : "xmm0");
}

static inline void
cpu_state_clean(void)
{
    __asm__ volatile("vzeroupper" : : : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
}

/* Whether the system and the processor have AVX. */
static inline bool
cpu_state_has_avx(void)
{
    uint32_t a, b, c, d;

    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_OSXSAVE) != 0 && (c & bit_AVX) != 0 &&
           (cpu_state_xgetbv(0) & CPU_STATE_AVX) != 0;
}

static inline uint32_t
cpu_state_upper(void)
{
    return cpu_state_xgetbv(1) & (CPU_STATE_AVX | CPU_STATE_AVX512);
}

/* NULL: cpu_state_upper() can be asked. Else why not. An emulator may say that all is in use at all times. */
static inline const char *
cpu_state_unknown(void)
{
    uint32_t a, b, c, d;

    if (!cpu_state_has_avx())
        return "no AVX here";
    if (__get_cpuid_count(0xd, 1, &a, &b, &c, &d) == 0 || (a & 4) == 0)
        return "this processor does not tell its vector state (no XGETBV with ECX = 1)";
    cpu_state_clean();
    return cpu_state_upper() != 0 ? "this processor does not keep track of its vector state" : NULL;
}

typedef struct cpu_mode {
    uint32_t mxcsr;
    uint16_t x87;
} cpu_mode;

static inline cpu_mode
cpu_mode_now(void)
{
    cpu_mode m = {.mxcsr = _mm_getcsr() & ~UINT32_C(0x3f)};

    __asm__ volatile("fnstcw %0" : "=m"(m.x87));
    return m;
}

/* A mode that nobody has by chance: rounds upward, flushes to zero. */
static inline void
cpu_mode_unusual(void)
{
    fesetround(FE_UPWARD);
    _mm_setcsr(_mm_getcsr() | 0x8000);
}

static inline void
cpu_mode_usual(void)
{
    fesetround(FE_TONEAREST);
    _mm_setcsr(_mm_getcsr() & ~UINT32_C(0x8000));
}

static inline bool
cpu_mode_same(cpu_mode a, cpu_mode b)
{
    return a.mxcsr == b.mxcsr && a.x87 == b.x87;
}

#else

static inline void
cpu_state_dirty(void)
{
}

static inline void
cpu_state_clean(void)
{
}

static inline bool
cpu_state_has_avx(void)
{
    return false;
}

static inline uint32_t
cpu_state_upper(void)
{
    return 0;
}

static inline const char *
cpu_state_unknown(void)
{
    return "no x86 processor";
}

typedef struct cpu_mode {
    int round;
} cpu_mode;

static inline cpu_mode
cpu_mode_now(void)
{
    return (cpu_mode){fegetround()};
}

static inline void
cpu_mode_unusual(void)
{
#ifdef FE_UPWARD
    fesetround(FE_UPWARD);
#endif
}

static inline void
cpu_mode_usual(void)
{
    fesetround(FE_TONEAREST);
}

static inline bool
cpu_mode_same(cpu_mode a, cpu_mode b)
{
    return a.round == b.round;
}

#endif

/* At the head of a test that needs cpu_state_upper(): skips it, and says why, where it cannot be asked. */
#define CPU_STATE_NEEDED()                                                                                           \
    do {                                                                                                             \
        const char *why_ = cpu_state_unknown();                                                                      \
        if (why_ != NULL) {                                                                                          \
            print_message("not checked: %s\n", why_);                                                                \
            skip();                                                                                                  \
        }                                                                                                            \
    } while (0)

#endif /* NCZ_CPU_STATE_H */
