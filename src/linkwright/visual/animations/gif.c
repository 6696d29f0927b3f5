/* Pictures as the compressed blocks of a GIF. `tools/write_runtime.py` compiles it to `gif.ll`, which the package contains
   and LLVM turns into machine code of the user's processor. */

#include <stdbool.h>
#include <stdint.h>

enum { CODES = 4096, CLEAR = 256, END = 257, PLACES = 16384, BLOCK = 255 };

/* The number of the nearest color of the palette for each pixel of `channels` bytes, red, green and blue first; `nearest` is
   a table of 32 x 32 x 32 colors. */
void nearest_colors(const uint8_t *pixels, int64_t count, int64_t channels, const uint8_t *nearest, uint8_t *numbers) {
    for (int64_t k = 0; k < count; k++, pixels += channels)
        numbers[k] = nearest[(pixels[0] >> 3) << 10 | (pixels[1] >> 3) << 5 | pixels[2] >> 3];
}

/* The box (4) left, top, right, bottom outside of which two pictures (height, width) are equal; false if they are equal. */
bool changed_box(const uint8_t *now, const uint8_t *before, int64_t width, int64_t height, int64_t *box) {
    box[0] = width, box[1] = height, box[2] = box[3] = 0;
    for (int64_t y = 0; y < height; y++) {
        const uint8_t *a = now + y * width, *b = before + y * width;
        int64_t first = 0, end = width;
        while (first < width && a[first] == b[first]) first++;
        if (first == width) continue;
        while (a[end - 1] == b[end - 1]) end--;
        if (first < box[0]) box[0] = first;
        if (end > box[2]) box[2] = end;
        if (y < box[1]) box[1] = y;
        box[3] = y + 1;
    }
    return box[3] > 0;
}

typedef struct { /* bits on their way into blocks of at most 255 bytes, each after its length */
    uint8_t *place, *length;
    uint32_t bits;
    int count;
} Writer;

static void write_code(Writer *writer, uint32_t code, int width) {
    writer->bits |= code << writer->count;
    writer->count += width;
    while (writer->count >= 8) {
        if (*writer->length == BLOCK) {
            writer->length = writer->place++;
            *writer->length = 0;
        }
        *writer->place++ = (uint8_t)writer->bits;
        ++*writer->length;
        writer->bits >>= 8;
        writer->count -= 8;
    }
}

/* Compress the box (4) of a picture of `width` columns by the method of Lempel, Ziv and Welch. Where the picture `before`,
   if there is one, is equal, the pixel has the number `same`. `table` is work space of PLACES entries. Returns the end of
   what was written to `out`, which has room for twice the pixels and 1000 bytes. */
uint8_t *compress_box(const uint8_t *now, const uint8_t *before, int64_t width, const int64_t *box, int64_t same,
                      uint64_t *table, uint8_t *out) {
    Writer writer = {out + 1, out, 0, 0};
    *out = 0;
    for (int64_t k = 0; k < PLACES; k++) table[k] = 0;
    uint64_t generation = 1; /* entries of others are empty; an entry: generation, code before, next number, code */
    uint32_t next = END + 1, code = CODES;
    int size = 9;
    write_code(&writer, CLEAR, size);
    for (int64_t y = box[1]; y < box[3]; y++)
        for (int64_t at = y * width + box[0], end = y * width + box[2]; at < end; at++) {
            uint32_t number = before && before[at] == now[at] ? (uint32_t)same : now[at];
            if (code == CODES) {
                code = number;
                continue;
            }
            uint64_t pair = generation << 20 | (uint64_t)code << 8 | number;
            uint64_t place = (pair * 0x9E3779B97F4A7C15u) >> 50;
            while (table[place] >> 12 != pair && table[place] >> 32 == generation) place = (place + 1) & (PLACES - 1);
            if (table[place] >> 12 == pair) {
                code = (uint32_t)table[place] & (CODES - 1);
                continue;
            }
            write_code(&writer, code, size);
            if (next < CODES) {
                table[place] = pair << 12 | next;
                if (next++ == 1u << size) size++;
            } else {
                write_code(&writer, CLEAR, size);
                next = END + 1;
                size = 9;
                generation++;
            }
            code = number;
        }
    write_code(&writer, code, size);
    if (next < CODES && next == 1u << size) size++; /* the decoder has one entry more */
    write_code(&writer, END, size);
    if (writer.count) write_code(&writer, 0, 8 - writer.count);
    if (*writer.length) *writer.place++ = 0; /* an empty block ends the picture */
    return writer.place;
}
