/* Triangles as pixels: a depth buffer, smooth normals, a shadow map. `tools/write_runtime.py` compiles it to `raster.ll`,
   which the package contains and LLVM turns into machine code of the user's processor.

   Coordinates are those of the camera: x right, y up, z towards the viewer, m. A perspective camera is at z = `distance`
   and shows a point at (x, y) distance / (distance - z). Its nearness is 1 / (distance - z), which is linear in the
   picture; without perspective (`distance` 0) it is z - `back`. Zero is infinitely far. */

#include <stdbool.h>
#include <stdint.h>

typedef struct { /* `TriangleBuffer` of raster.py: the nearest triangle at each sample */
    int64_t width, height;
    float *nearness; /* (height, width) */
    int32_t *face;   /* (height, width), -1 without one; NULL if only the nearness is wanted */
    int32_t *span;   /* (height, 2), the columns of each row between which triangles are */
    float back;      /* the sign of the area of a triangle that is seen from behind */
} TriangleBuffer;

typedef struct { /* `SurfaceLook` of raster.py */
    const TriangleBuffer *solid, *veil; /* opaque triangles, and those that are seen through, or NULL */
    const int32_t *faces;               /* (m, 3) */
    const float *corners;               /* (n, 3), samples right, samples down, nearness */
    const float *normals;               /* (n, 3), unit, of the corners */
    const float *colors;                /* (m, 4), red, green, blue, opacity, 0 to 1 */
    int64_t samples;                    /* per pixel, along each axis */
    int64_t shadow_box[4];              /* of the ground: columns from, to, rows from, to, in pixels */
    float left, top, step;              /* the picture's corner and the size of a sample, m */
    float distance, back;
    float light[3], up[3], half[3]; /* unit; the last one is between the light and the viewer */
    float ground;           /* the ground is where up . p = ground */
    float darkness;         /* of a shadow on the ground, 0 to 1 */
    const TriangleBuffer *shadow;
    const int32_t *shadow_reach; /* (height of the map, 2), of `widen_spans`, by what the blur on the ground needs */
    float to_shadow[12];    /* (3, 4): from the camera's axes to samples and nearness of the shadow map */
    float bias;             /* of that nearness */
    float softness;         /* samples of the shadow map */
    uint8_t *pixels;        /* (height / samples, width / samples, 4) */
} SurfaceLook;

#define INSIDE 1e-4f /* of a triangle: a sample that is so little outside is in, which closes seams */

static float root(float x) { return __builtin_sqrtf(x); }
static float least(float a, float b) { return a < b ? a : b; }
static float most(float a, float b) { return a > b ? a : b; }
static float clamp(float x, float low, float high) { return least(most(x, low), high); }
static float dot(const float *a, const float *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void unit(float *a) {
    float length = root(dot(a, a));
    float scale = length > 1e-20f ? 1.0f / length : 0.0f;
    for (int k = 0; k < 3; k++) a[k] *= scale;
}

static int64_t whole(float x, int64_t most_of_all) { return (int64_t)clamp(x, 0.0f, (float)most_of_all); }

/* Empty a buffer: only the columns between which triangles are differ from zero. */
void clear_buffer(const TriangleBuffer *buffer) {
    for (int64_t y = 0; y < buffer->height; y++) {
        int32_t *span = buffer->span + 2 * y;
        float *row = buffer->nearness + y * buffer->width;
        for (int64_t x = span[0]; x <= span[1]; x++) row[x] = 0.0f;
        span[0] = (int32_t)buffer->width;
        span[1] = -1;
    }
}

/* For each row the columns between which triangles are in this row and in others that are at most `margin` away, and so
   many columns more (height, 2). */
void widen_spans(const TriangleBuffer *buffer, int64_t margin, int32_t *wide) {
    for (int64_t y = 0; y < buffer->height; y++) {
        int64_t from = y > margin ? y - margin : 0, to = y + margin < buffer->height ? y + margin : buffer->height - 1;
        int32_t low = (int32_t)buffer->width, high = -1;
        for (int64_t row = from; row <= to; row++) {
            const int32_t *span = buffer->span + 2 * row;
            if (span[0] < low) low = span[0];
            if (span[1] > high) high = span[1];
        }
        wide[2 * y] = low - (int32_t)margin;
        wide[2 * y + 1] = high + (int32_t)margin;
    }
}

/* Draw triangles whose corners (n, 3) are samples right, samples down, nearness; of closed surfaces (m,) only those that
   are seen from outside. */
void draw_triangles(const TriangleBuffer *buffer, const float *corners, const int32_t *faces, const uint8_t *closed,
                    int64_t first, int64_t end) {
    int64_t width = buffer->width, height = buffer->height;
    for (int64_t k = first; k < end; k++) {
        const float *a = corners + 3 * faces[3 * k], *b = corners + 3 * faces[3 * k + 1], *c = corners + 3 * faces[3 * k + 2];
        float area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if (!(area > 1e-9f || area < -1e-9f) || (closed[k] && area * buffer->back > 0.0f)) continue;
        float low_x = least(a[0], least(b[0], c[0])), high_x = most(a[0], most(b[0], c[0]));
        float low_y = least(a[1], least(b[1], c[1])), high_y = most(a[1], most(b[1], c[1]));
        if (!(high_x >= 0.0f && high_y >= 0.0f && low_x < (float)width && low_y < (float)height)) continue;
        int64_t x0 = whole(low_x - 0.5f, width - 1), x1 = whole(high_x + 0.5f, width - 1);
        int64_t y0 = whole(low_y - 0.5f, height - 1), y1 = whole(high_y + 0.5f, height - 1);
        float inverse = 1.0f / area;
        /* weights of b and c, and how they change with x and y */
        float bx = (c[1] - a[1]) * inverse, by = (a[0] - c[0]) * inverse;
        float cx = (a[1] - b[1]) * inverse, cy = (b[0] - a[0]) * inverse;
        float zx = (b[2] - a[2]) * bx + (c[2] - a[2]) * cx, zy = (b[2] - a[2]) * by + (c[2] - a[2]) * cy;
        /* each edge leaves a half of every row, where slope * dx + rise * dy + rest >= 0: at most two edges bound it at its
           left and at most two at its right, at shift + lean * dy */
        float slopes[3] = {bx, cx, -bx - cx}, rises[3] = {by, cy, -by - cy};
        float from = (float)x0 + 0.5f - a[0], to = (float)x1 + 0.5f - a[0];
        float shifts[2][2] = {{from, from}, {to, to}}, leans[2][2] = {{0.0f, 0.0f}, {0.0f, 0.0f}};
        int counts[2] = {0, 0};
        float level_rise = 0.0f, level_rest = INSIDE; /* of an edge along the rows */
        for (int i = 0; i < 3; i++) {
            float rest = (i == 2 ? 1.0f : 0.0f) + INSIDE;
            if (slopes[i] > 1e-12f || slopes[i] < -1e-12f) {
                float scale = -1.0f / slopes[i];
                int side = scale > 0.0f, place = counts[side]++ & 1;
                shifts[side][place] = rest * scale;
                leans[side][place] = rises[i] * scale;
            } else {
                level_rise = rises[i];
                level_rest = rest;
            }
        }
        for (int64_t y = y0; y <= y1; y++) {
            float dy = (float)y + 0.5f - a[1];
            float low = most(shifts[0][0] + leans[0][0] * dy, shifts[0][1] + leans[0][1] * dy);
            float high = least(shifts[1][0] + leans[1][0] * dy, shifts[1][1] + leans[1][1] * dy);
            low = most(low, from);
            high = least(high, to);
            if (!(low <= high) || level_rise * dy + level_rest < 0.0f) continue;
            int64_t first_x = whole(low + a[0] + 0.5f, width - 1), last_x = whole(high + a[0] - 0.5f, width - 1);
            float dx = (float)first_x + 0.5f - a[0];
            if (dx < low) first_x++, dx += 1.0f;
            int32_t *span = buffer->span + 2 * y;
            if (first_x < span[0]) span[0] = (int32_t)first_x;
            if (last_x > span[1]) span[1] = (int32_t)last_x;
            float near = a[2] + zx * dx + zy * dy;
            int64_t at = y * width + first_x;
            for (int64_t x = first_x; x <= last_x; x++, at++, dx += 1.0f, near += zx) {
                if (near <= buffer->nearness[at]) continue;
                buffer->nearness[at] = near;
                if (buffer->face) buffer->face[at] = (int32_t)k;
            }
        }
    }
}

/* The share of samples of the shadow map around a place that the light reaches: `side` by as many, so far apart. */
static inline __attribute__((always_inline)) float clear_part(const SurfaceLook *look, const float *s, int side, float apart) {
    const TriangleBuffer *map = look->shadow;
    int clear = 0;
    float beyond = s[2] + look->bias, first = -0.5f * apart * (float)(side - 1);
    float x0 = s[0] + first, y0 = s[1] + first;
    if (x0 >= 0.0f && y0 >= 0.0f && s[0] - first < (float)(map->width - 1) && s[1] - first < (float)(map->height - 1)) { /* all within */
        for (int j = 0; j < side; j++) {
            const float *row = map->nearness + (int64_t)(y0 + (float)j * apart) * map->width;
            for (int i = 0; i < side; i++) clear += !(row[(int64_t)(x0 + (float)i * apart)] > beyond);
        }
        return (float)clear / (float)(side * side);
    }
    for (int j = 0; j < side; j++)
        for (int i = 0; i < side; i++) {
            float x = x0 + (float)i * apart, y = y0 + (float)j * apart;
            bool inside = x >= 0.0f && y >= 0.0f && x < (float)map->width && y < (float)map->height;
            clear += !inside || !(map->nearness[(int64_t)y * map->width + (int64_t)x] > beyond);
        }
    return (float)clear / (float)(side * side);
}

/* How much of the light reaches a point, 0 to 1. */
static inline __attribute__((always_inline)) float lit(const SurfaceLook *look, const float *p, int side, float apart) {
    float s[3];
    for (int k = 0; k < 3; k++) s[k] = dot(look->to_shadow + 4 * k, p) + look->to_shadow[4 * k + 3];
    float margin = 4.0f + (float)side * apart;
    if (s[0] < -margin || s[1] < -margin || s[0] > (float)look->shadow->width + margin ||
        s[1] > (float)look->shadow->height + margin)
        return 1.0f;
    if (side > 3) {
        const int32_t *reach = look->shadow_reach + 2 * whole(s[1], look->shadow->height - 1);
        if (s[0] < (float)reach[0] || s[0] > (float)reach[1]) return 1.0f;
    }
    if (side <= 3) return clear_part(look, s, side, apart);
    float first = clear_part(look, s, 3, 0.5f * (float)(side - 1) * apart); /* if all agree, no edge of a shadow is near */
    return first > 0.0f && first < 1.0f ? clear_part(look, s, side, apart) : first;
}

/* The point that a sample shows. */
static void place(const SurfaceLook *look, float x, float y, float near, float *p) {
    float scale = look->distance > 0.0f ? 1.0f / (look->distance * near) : 1.0f;
    p[0] = (look->left + look->step * x) * scale;
    p[1] = (look->top - look->step * y) * scale;
    p[2] = look->distance > 0.0f ? look->distance - 1.0f / near : near + look->back;
}

/* The unit normal, towards the viewer, of the triangle at a sample. */
static void normal_at(const SurfaceLook *look, const TriangleBuffer *buffer, int64_t x, int64_t y, float *n) {
    const int32_t *face = look->faces + 3 * buffer->face[y * buffer->width + x];
    const float *a = look->corners + 3 * face[0], *b = look->corners + 3 * face[1], *c = look->corners + 3 * face[2];
    float area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    float dx = (float)x + 0.5f - a[0], dy = (float)y + 0.5f - a[1];
    /* times the area, whose sign turns normals that point away from the viewer */
    float second = (a[1] - c[1]) * dx + (c[0] - a[0]) * dy, third = (b[1] - a[1]) * dx + (a[0] - b[0]) * dy;
    float weight[3] = {-area - second - third, second, third};
    for (int i = 0; i < 3; i++) {
        n[i] = 0.0f;
        for (int j = 0; j < 3; j++) n[i] += weight[j] * look->normals[3 * face[j] + i];
    }
    unit(n);
}

/* The color of the triangle at a sample with a unit normal, in the light. */
static void shade(const SurfaceLook *look, const TriangleBuffer *buffer, int64_t x, int64_t y, const float *n, float *color) {
    int64_t at = y * buffer->width + x;
    float facing = dot(n, look->light), key = 0.0f, shine = 0.0f;
    if (facing > 0.0f) {
        float p[3];
        place(look, (float)x + 0.5f, (float)y + 0.5f, buffer->nearness[at], p);
        for (int i = 0; i < 3; i++) p[i] += look->bias * n[i]; /* off the surface, which else shadows itself where it grazes */
        float clear = lit(look, p, 2, 1.0f);
        key = facing * clear;
        shine = most(dot(n, look->half), 0.0f);
        for (int i = 0; i < 5; i++) shine *= shine; /* the 32nd power */
        shine *= 0.22f * clear * clamp(4.0f * facing, 0.0f, 1.0f);
    }
    float sky = 0.5f + 0.5f * dot(n, look->up);
    float bright = 0.32f + 0.26f * sky + 0.14f * most(n[2], 0.0f) + 0.44f * key;
    const float *own = look->colors + 4 * buffer->face[at];
    for (int i = 0; i < 3; i++) color[i] = clamp(own[i] * bright + shine, 0.0f, 1.0f);
}

typedef struct { /* the triangle that was shaded last in a pixel, and its color */
    int32_t face;
    float color[3];
} Shaded;

/* Add the color (4), premultiplied, of the triangle at a sample behind what is there already. */
static void add(const SurfaceLook *look, const TriangleBuffer *buffer, int64_t x, int64_t y, Shaded *last, float *color) {
    int64_t at = y * buffer->width + x;
    if (buffer->face[at] != last->face) {
        last->face = buffer->face[at];
        float n[3];
        normal_at(look, buffer, x, y, n);
        shade(look, buffer, x, y, n, last->color);
    }
    float part = look->colors[4 * last->face + 3] * (1.0f - color[3]);
    for (int i = 0; i < 3; i++) color[i] += part * last->color[i];
    color[3] += part;
}

/* How dark the ground is at a pixel, 0 where it is not seen. */
static float shadow_on_ground(const SurfaceLook *look, float x, float y) {
    float right = look->left + look->step * x, above = look->top - look->step * y;
    float from[3] = {right, above, 0.0f}, along[3] = {0.0f, 0.0f, -1.0f}, p[3];
    if (look->distance > 0.0f) {
        from[0] = from[1] = 0.0f;
        from[2] = look->distance;
        along[0] = right;
        along[1] = above;
        along[2] = -look->distance;
    }
    float slope = dot(look->up, along);
    if (!(slope < 0.0f)) return 0.0f;
    float t = (look->ground - dot(look->up, from)) / slope;
    if (!(t > 0.0f)) return 0.0f;
    for (int i = 0; i < 3; i++) p[i] = from[i] + t * along[i];
    return look->darkness * (1.0f - lit(look, p, 7, look->softness / 3.0f));
}

#define SMOOTH 0.98f /* cosine of the angle between normals of one surface within a pixel */

/* Shade the four samples of a pixel, all of opaque triangles, together, with their mean normal; false if their colors or
   normals differ, so that each must be shaded. Samples of one triangle have nearly one normal. */
static bool one_surface(const SurfaceLook *look, int64_t x, int64_t y, float *color) {
    const TriangleBuffer *buffer = look->solid;
    const int32_t *face = buffer->face + y * buffer->width + x, faces[4] = {face[0], face[1], face[buffer->width], face[buffer->width + 1]};
    const float *own = look->colors + 4 * faces[0];
    float first[3], n[3], sum[3];
    normal_at(look, buffer, x, y, first);
    for (int i = 0; i < 3; i++) sum[i] = first[i];
    for (int k = 1; k < 4; k++) {
        if (faces[k] == faces[0] || faces[k] == faces[k - 1]) continue;
        const float *other = look->colors + 4 * faces[k];
        if (other[0] != own[0] || other[1] != own[1] || other[2] != own[2]) return false;
        normal_at(look, buffer, x + (k & 1), y + (k >> 1), n);
        if (dot(n, first) < SMOOTH) return false;
        for (int i = 0; i < 3; i++) sum[i] += n[i];
    }
    unit(sum);
    shade(look, buffer, x, y, sum, color);
    color[3] = 1.0f;
    return true;
}

/* The mean color (4), premultiplied, of the samples of a pixel. */
static void mean_color(const SurfaceLook *look, int64_t column, int64_t row, float *mean) {
    int64_t samples = look->samples;
    Shaded veil = {-1, {0.0f, 0.0f, 0.0f}}, solid = veil;
    for (int k = 0; k < 4; k++) mean[k] = 0.0f;
    if (!look->veil && samples == 2) {
        const float *near = look->solid->nearness + 2 * row * look->solid->width + 2 * column, *below = near + look->solid->width;
        if (!(near[0] > 0.0f || near[1] > 0.0f || below[0] > 0.0f || below[1] > 0.0f)) return;
        bool full = near[0] > 0.0f && near[1] > 0.0f && below[0] > 0.0f && below[1] > 0.0f;
        if (full && one_surface(look, 2 * column, 2 * row, mean)) return;
    }
    for (int64_t j = 0; j < samples; j++)
        for (int64_t i = 0; i < samples; i++) {
            int64_t x = column * samples + i, y = row * samples + j, at = y * look->solid->width + x;
            float near = look->solid->nearness[at], color[4] = {0.0f, 0.0f, 0.0f, 0.0f};
            if (look->veil && look->veil->nearness[at] > near) add(look, look->veil, x, y, &veil, color);
            if (near > 0.0f) add(look, look->solid, x, y, &solid, color);
            for (int k = 0; k < 4; k++) mean[k] += color[k];
        }
    for (int k = 0; k < 4; k++) mean[k] /= (float)(samples * samples);
}

static void widen(const TriangleBuffer *buffer, int64_t samples, int64_t row, int64_t *first, int64_t *end) {
    for (int64_t j = 0; j < samples && buffer; j++) {
        const int32_t *span = buffer->span + 2 * (row * samples + j);
        if (span[1] < span[0]) continue;
        if (span[0] / samples < *first) *first = span[0] / samples;
        if (span[1] / samples + 1 > *end) *end = span[1] / samples + 1;
    }
}

/* Fill the rows of pixels from `first` to `end`; others than those of triangles and shadows stay as they are. */
void shade_pixels(const SurfaceLook *look, int64_t first, int64_t end) {
    int64_t samples = look->samples, width = look->solid->width / samples;
    const int64_t *box = look->shadow_box;
    for (int64_t row = first; row < end; row++) {
        int64_t solid_first = width, solid_end = 0;
        widen(look->solid, samples, row, &solid_first, &solid_end);
        widen(look->veil, samples, row, &solid_first, &solid_end);
        bool shaded = row >= box[2] && row < box[3];
        int64_t from = shaded && box[0] < solid_first ? box[0] : solid_first;
        int64_t to = shaded && box[1] > solid_end ? box[1] : solid_end;
        for (int64_t column = from; column < to; column++) {
            float mean[4] = {0.0f, 0.0f, 0.0f, 0.0f}, dark = 0.0f;
            if (column >= solid_first && column < solid_end) mean_color(look, column, row, mean);
            if (mean[3] < 1.0f && shaded && column >= box[0] && column < box[1]) {
                float middle = 0.5f * (float)samples;
                dark = shadow_on_ground(look, (float)(column * samples) + middle, (float)(row * samples) + middle);
            }
            float all = mean[3] + (1.0f - mean[3]) * dark;
            if (!(all > 0.0f)) continue;
            uint8_t *pixel = look->pixels + 4 * (row * width + column);
            float share = 1.0f / all;
            for (int k = 0; k < 3; k++) {
                float value = (mean[k] + (1.0f - mean[3]) * dark * 0.12f) * share;
                pixel[k] = (uint8_t)clamp(255.0f * value + 0.5f, 0.0f, 255.0f);
            }
            pixel[3] = (uint8_t)clamp(255.0f * all + 0.5f, 0.0f, 255.0f);
        }
    }
}

/* Lay pixels (height, width, 4) over those of an opaque picture of so many bytes per row, from its top down. */
void lay_over(const uint8_t *pixels, int64_t width, int64_t height, uint8_t *picture, int64_t row_bytes) {
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            const uint8_t *from = pixels + 4 * (y * width + x);
            uint8_t *to = picture + y * row_bytes + 4 * x;
            int opacity = from[3];
            if (!opacity) continue;
            for (int k = 0; k < 3; k++) to[k] = (uint8_t)((from[k] * opacity + to[k] * (255 - opacity) + 127) / 255);
        }
}
