/* Numbers as text with 17 digits, as C's printf writes them with "%.17g". `tools/write_runtime.py` compiles it to
   `decimal.ll`, which the package contains and LLVM turns into machine code of the user's processor. */

#include <stdbool.h>
#include <stdint.h>

typedef unsigned __int128 Wide;

typedef struct { /* `POWERS` of decimal.py: a power of ten, rounded down to high * 2^64 + low times 2^exponent */
    uint64_t high, low;
    int64_t exponent;
    int64_t exact; /* whether nothing was cut off */
} Power;

enum { LEAST_POWER = -293, MANTISSA = 52, DIGITS = 17 };
#define TEN_TO_16 10000000000000000u
#define TEN_TO_17 100000000000000000u

/* The 17 digits of m * 2^e * 10^p, rounded to the nearest integer, to the even one of two. False where the cut power does
   not say which is nearer. */
static bool scaled(uint64_t m, int64_t e, const Power *power, uint64_t *digits) {
    Wide low = (Wide)m * power->low, high = (Wide)m * power->high + (uint64_t)(low >> 64);
    /* the product is high * 2^64 + the lower half of low; 17 digits of it are above `shift` bits */
    int64_t shift = -(e + power->exponent) - 64;
    if (shift < 2 || shift > 126) return false;
    uint64_t below = (uint64_t)low;
    Wide whole = high >> shift, part = high & (((Wide)1 << shift) - 1), half = (Wide)1 << (shift - 1);
    bool up;
    if (power->exact)
        up = part > half || (part == half && (below || (whole & 1)));
    else { /* too small by less than m in the last place of the product, which is below 2^-11 in the last place of `part` */
        if (part == half || part == half - 1) return false;
        up = part > half;
    }
    *digits = (uint64_t)whole + up;
    return whole < ((Wide)1 << 63);
}

static uint8_t *write_zeros(uint8_t *out, int64_t count) {
    while (count-- > 0) *out++ = '0';
    return out;
}

/* Write a number; NULL where its last digit is not known. `powers` begins with 10^LEAST_POWER. */
static uint8_t *write_number(double value, const Power *powers, uint8_t *out) {
    union { double number; uint64_t bits; } as = {value};
    uint64_t m = as.bits & (((uint64_t)1 << MANTISSA) - 1);
    int64_t biased = (int64_t)(as.bits >> MANTISSA) & 0x7FF, e;
    bool negative = as.bits >> 63;
    if (biased == 0x7FF) {
        if (negative && !m) *out++ = '-';
        const char *name = m ? "nan" : "inf";
        for (int k = 0; k < 3; k++) *out++ = (uint8_t)name[k];
        return out;
    }
    if (negative) *out++ = '-';
    if (!biased && !m) {
        *out++ = '0';
        return out;
    }
    if (biased)
        m |= (uint64_t)1 << MANTISSA, e = biased - 1075;
    else
        e = -1074;
    int64_t top = e + 63 - __builtin_clzll(m);           /* of the number's leading bit */
    int64_t k = (top * 78913) >> 18;                     /* of its leading digit, or one less: log10(2) * 2^18 = 78913.2 */
    uint64_t digits;
    if (!scaled(m, e, powers + (DIGITS - 1 - k - LEAST_POWER), &digits)) return 0;
    if (digits >= TEN_TO_17) {
        k++;
        if (!scaled(m, e, powers + (DIGITS - 1 - k - LEAST_POWER), &digits)) return 0;
    }
    if (digits < TEN_TO_16 || digits >= TEN_TO_17) return 0;
    uint8_t text[DIGITS];
    for (int i = DIGITS - 1; i >= 0; i--, digits /= 10) text[i] = (uint8_t)('0' + digits % 10);
    int64_t count = DIGITS;
    while (count > 1 && text[count - 1] == '0') count--;
    if (k < -4 || k >= DIGITS) {
        *out++ = text[0];
        if (count > 1) *out++ = '.';
        for (int64_t i = 1; i < count; i++) *out++ = text[i];
        *out++ = 'e';
        *out++ = k < 0 ? '-' : '+';
        int64_t size = k < 0 ? -k : k;
        if (size >= 100) *out++ = (uint8_t)('0' + size / 100);
        *out++ = (uint8_t)('0' + size / 10 % 10);
        *out++ = (uint8_t)('0' + size % 10);
        return out;
    }
    if (k < 0) {
        *out++ = '0';
        *out++ = '.';
        out = write_zeros(out, -k - 1);
    }
    for (int64_t i = 0; i < count; i++) {
        if (i == k + 1 && k >= 0) *out++ = '.';
        *out++ = text[i];
    }
    return write_zeros(out, k + 1 - count);
}

/* Write numbers from `first` on, each followed by a comma, or the last of each row of `columns` by a line feed. Returns the
   number of the first one that cannot be written, or `count`; `*end` is the end of the text. */
int64_t write_numbers(const double *values, int64_t first, int64_t count, int64_t columns, const Power *powers, uint8_t **end) {
    uint8_t *out = *end;
    for (; first < count; first++) {
        uint8_t *next = write_number(values[first], powers, out);
        if (!next) break;
        *next++ = (first + 1) % columns ? ',' : '\n';
        out = next;
    }
    *end = out;
    return first;
}
