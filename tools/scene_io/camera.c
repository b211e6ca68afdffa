/* camera.c - finds a view by casting rays into the world. */
#include "painter_parts.h"

enum { GRID = 15, LEVELS = 3, HEIGHTS = 2, AROUND = 24, CAND_RAYS = 48 };

static rico_hit cast_one(const rio_caster *caster, v3 origin, v3 direction, float t_max)
{
    rico_ray ray = {origin, t_max, direction, 0};
    rico_hit hit;
    caster->cast(caster->user, &ray, &hit, 1);
    return hit;
}

/* Directions spread evenly over the sphere: the golden spiral. */
static v3 sphere_direction(uint32_t i, uint32_t count)
{
    float z = 1.0f - 2.0f * ((float)i + 0.5f) / (float)count;
    float r = sqrtf(1.0f - z * z), a = 2.39996323f * (float)i;
    return v3_make(r * cosf(a), r * sinf(a), z);
}

typedef struct vantage {
    v3 eye, look;
    float score; /* how far the view goes in the best direction */
} vantage;

/* How open a point is all around; 0 when it is inside a solid (sees backs of faces). enclosure:
 * the part of the sideways rays that hit. room: the distance of surfaces, without those above. */
static float openness(const rio_caster *caster, v3 eye, float size, float *enclosure,
                      float *room)
{
    float sum = 0.0f;
    uint32_t met = 0, backs = 0, sideways = 0;
    *room = 0.0f;
    for (uint32_t i = 0; i < CAND_RAYS; i++) {
        v3 d = sphere_direction(i, CAND_RAYS);
        rico_hit hit = cast_one(caster, eye, d, 2.0f * size);
        bool level = d.z > -0.25f && d.z < 0.4f;
        sideways += level ? 1u : 0u;
        met += level && rio_is_hit(&hit) ? 1u : 0u;
        *room += d.z < 0.35f ? hit.t / (0.67f * (float)CAND_RAYS) : 0.0f;
        backs += rio_is_hit(&hit) && hit.back_face != 0 ? 1u : 0u;
        sum += lesser(hit.t / size, 0.5f);
    }
    *enclosure = (float)met / (float)sideways;
    return backs > CAND_RAYS / 12 ? 0.0f : sum / (float)CAND_RAYS;
}

/* The value of one ray of a view. The farther the surface, the better. A ray that leaves the
 * world is worth 0. A surface that is near or shows its back has a negative value. */
static float ray_worth(const rico_hit *hit, float size, float near, bool upwards)
{
    if (!rio_is_hit(hit))
        return upwards ? 0.35f : -0.1f;
    if (hit->back_face != 0)
        return -0.3f;
    return hit->t < near ? -0.35f : sqrtf(lesser(hit->t / size, 0.8f));
}

/* The mean value over a fan of rays as wide as the picture, and its variation. Near columns
 * before a far wall make a better picture than the wall alone. */
static float view_worth(const rio_caster *caster, v3 eye, v3 look, float size, float near)
{
    v3 side = v3_unit(v3_cross(look, v3_make(0.0f, 0.0f, 1.0f)));
    v3 up = v3_cross(side, look);
    float sum = 0.0f, squares = 0.0f;
    for (int j = -1; j <= 1; j++)
        for (int i = -3; i <= 3; i++) {
            v3 d = v3_mad(look, side, 0.34f * (float)i);
            d = v3_unit(v3_mad(d, up, 0.32f * (float)j));
            rico_hit hit = cast_one(caster, eye, d, 2.0f * size);
            float worth = ray_worth(&hit, size, near, j > 0);
            sum += (i == 0 ? 2.0f : 1.0f) * worth;
            squares += (i == 0 ? 2.0f : 1.0f) * worth * worth;
        }
    float mean = sum / 24.0f;
    return mean + 0.8f * sqrtf(greater(squares / 24.0f - mean * mean, 0.0f));
}

static vantage best_direction(const rio_caster *caster, v3 eye, float size, float near)
{
    vantage best = {eye, {1.0f, 0.0f, 0.0f}, -1.0f};
    for (uint32_t i = 0; i < AROUND; i++) {
        float a = 2.0f * RIO_PI * (float)i / (float)AROUND;
        v3 look = v3_unit(v3_make(cosf(a), sinf(a), -0.12f));
        float score = view_worth(caster, eye, look, size, near);
        if (score > best.score) {
            best.score = score;
            best.look = look;
        }
    }
    return best;
}

/* Stands over the level-th floor from above in a column of the grid, at a part of the height of
 * the room above it. Rays pass through faces seen from behind, and so get into closed worlds. */
static bool stand(const rico_box *box, const rio_caster *caster, float size, uint32_t index,
                  v3 *eye)
{
    v3 extent = v3_sub(box->hi, box->lo), down = v3_make(0.0f, 0.0f, -1.0f);
    uint32_t i = index % GRID, j = index / GRID % GRID;
    uint32_t level = index / (GRID * GRID) % LEVELS, h = index / (GRID * GRID * LEVELS);
    v3 at = v3_make(box->lo.x + extent.x * ((float)i + 0.5f) / (float)GRID,
                    box->lo.y + extent.y * ((float)j + 0.5f) / (float)GRID,
                    box->hi.z + 0.01f * size);
    for (uint32_t step = 0, floors = 0; step < 12; step++) {
        rico_hit hit = cast_one(caster, at, down, 2.0f * size);
        if (!rio_is_hit(&hit))
            return false;
        at = v3_mad(at, down, hit.t);
        if (hit.back_face == 0 && hit.normal.z > 0.7f && floors++ == level) {
            at.z += 1.0e-3f * size;
            rico_hit roof =
                cast_one(caster, at, v3_make(0.0f, 0.0f, 1.0f), lesser(0.25f * size, 10.0f));
            *eye = v3_mad(at, down, roof.t * (h == 0 ? -0.28f : -0.45f));
            return roof.t > 0.012f * size;
        }
        at.z -= 1.0e-4f * size;
    }
    return false;
}

static vantage best_inside(const rico_box *box, const rio_caster *caster, float size)
{
    vantage best = {{0, 0, 0}, {1, 0, 0}, 0.0f};
    for (uint32_t i = 0; i < GRID * GRID * LEVELS * HEIGHTS; i++) {
        v3 eye = box->lo;
        float enclosure, room;
        if (!stand(box, caster, size, i, &eye))
            continue;
        float open = openness(caster, eye, size, &enclosure, &room);
        if (open < 0.02f || enclosure < 0.7f)
            continue;
        vantage view = best_direction(caster, eye, size, 0.4f * room);
        float closed = enclosure * enclosure * enclosure; /* prefers halls to cliffs */
        view.score *= (0.5f + open) * closed * closed;
        if (view.score > best.score)
            best = view;
    }
    return best;
}

rio_camera rio_camera_frame(const rico_box *bounds, const rio_caster *caster)
{
    v3 extent = v3_sub(bounds->hi, bounds->lo);
    v3 middle = v3_scale(v3_add(bounds->lo, bounds->hi), 0.5f);
    float size = sqrtf(v3_dot(extent, extent));
    if (!(size > 0.0f && size < INFINITY))
        return (rio_camera){{0.0f, -5.0f, 2.0f}, {0.0f, 0.0f, 1.0f}, 50.0f};
    vantage inside = best_inside(bounds, caster, size);
    if (inside.score > 0.0f)
        return (rio_camera){inside.eye, v3_add(inside.eye, inside.look), 62.0f};
    v3 away = v3_unit(v3_make(-0.55f, -0.95f, 0.55f));
    return (rio_camera){v3_mad(middle, away, 1.05f * size), middle, 42.0f};
}

enum { NEAR_AROUND = 16, NEAR_RISES = 4 };

rio_camera rio_camera_near(rico_vec3 place, float distance, const rio_caster *caster)
{
    static const float rises[NEAR_RISES] = {0.3f, 0.15f, 0.6f, 1.2f}; /* radians */
    const v3 target = v3_make(place.x, place.y, place.z + 0.2f * distance);
    v3 best = v3_make(0.0f, -1.0f, 0.0f);
    float longest = -1.0f;
    for (uint32_t i = 0; i < NEAR_AROUND * NEAR_RISES; i++) {
        float rise = rises[i / NEAR_AROUND];
        float a = 2.0f * RIO_PI * (float)(i % NEAR_AROUND) / (float)NEAR_AROUND - 0.5f * RIO_PI;
        v3 away = v3_make(cosf(rise) * cosf(a), cosf(rise) * sinf(a), sinf(rise));
        float room = cast_one(caster, target, away, distance).t;
        if (room > longest) {
            longest = room;
            best = away;
        }
    }
    float back = longest < distance ? 0.95f * longest : distance;
    return (rio_camera){v3_mad(target, best, greater(back, 0.01f * distance)), target, 60.0f};
}

enum { SUN_POINTS = 144 };

/* Points that the camera sees, moved a little off their surfaces. Returns their number. */
static uint32_t seen_points(const rio_camera *camera, const rio_caster *caster, v3 *points,
                            v3 *normals)
{
    v3 look = v3_unit(v3_sub(camera->target, camera->eye));
    v3 side = v3_unit(v3_cross(look, v3_make(0.0f, 0.001f, 1.0f)));
    v3 up = v3_cross(side, look);
    float half = tanf(camera->fov_degrees * (RIO_PI / 360.0f));
    uint32_t count = 0;
    for (uint32_t i = 0; i < SUN_POINTS; i++) {
        float u = 2.0f * ((float)(i % 16) + 0.5f) / 16.0f - 1.0f;
        float v = 2.0f * ((float)(i / 16) + 0.5f) / 9.0f - 1.0f;
        v3 d = v3_unit(v3_mad(v3_mad(look, side, u * half * 1.78f), up, v * half));
        rico_hit hit = cast_one(caster, camera->eye, d, 1.0e5f);
        if (!rio_is_hit(&hit))
            continue;
        normals[count] = hit.normal;
        points[count++] = v3_mad(v3_mad(camera->eye, d, hit.t), hit.normal, 0.01f);
    }
    return count;
}

/* Best when the sun lights a little less than half of the picture, which shows both light and
 * shadow. */
void rio_sun_frame(const rio_camera *camera, const rio_caster *caster, float *azimuth,
                   float *elevation)
{
    v3 points[SUN_POINTS], normals[SUN_POINTS];
    uint32_t count = seen_points(camera, caster, points, normals);
    v3 look = v3_sub(camera->target, camera->eye);
    float behind = atan2f(-look.y, -look.x) * (180.0f / RIO_PI), best = -INFINITY;
    for (uint32_t step = 0; step < 60; step++) {
        float e = 18.0f + 14.0f * (float)(step / 12),
              a = behind + 15.0f + 30.0f * (float)(step % 12);
        v3 sun = rio_sky_make(a, e).sun;
        float lit = 0.0f;
        for (uint32_t i = 0; i < count; i++) {
            float facing = v3_dot(normals[i], sun);
            if (facing <= 0.05f)
                continue;
            rico_hit hit = cast_one(caster, points[i], sun, 1.0e4f);
            lit += rio_is_hit(&hit) ? 0.0f : lesser(2.0f * facing, 1.0f);
        }
        float part = lit / (float)(count + 1);
        float score =
            lesser(part, 0.45f) - 0.0022f * e - 0.03f * fabsf(v3_dot(v3_unit(look), sun));
        if (score > best) {
            best = score;
            *azimuth = a;
            *elevation = e;
        }
    }
}
