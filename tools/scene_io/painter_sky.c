/* painter_sky.c - an evening sky: cheap for light, pretty for the eye. */
#include "painter_parts.h"

#include "mesh_builder.h"

rio_sky rio_sky_make(float azimuth_degrees, float elevation_degrees)
{
    rio_sky sky;
    float a = azimuth_degrees * (RIO_PI / 180.0f), e = elevation_degrees * (RIO_PI / 180.0f);
    sky.sun = v3_make(cosf(e) * cosf(a), cosf(e) * sinf(a), sinf(e));
    /* The sun is redder and weaker the longer its way through the air. */
    float air = 1.0f / (greater(sky.sun.z, 0.0f) + 0.07f);
    sky.sun_light =
        v3_scale(v3_make(expf(-0.035f * air), expf(-0.085f * air), expf(-0.19f * air)), 9.0f);
    sky.ambient = v3_make(0.16f, 0.16f, 0.18f);
    return sky;
}

static float power(float base, int times)
{
    float result = 1.0f;
    for (; times > 0; times >>= 1, base *= base)
        if ((times & 1) != 0)
            result *= base;
    return result;
}

v3 rio_sky_light(const rio_sky *sky, v3 direction)
{
    float z = greater(direction.z, 0.0f);
    float toward = 0.5f + 0.5f * v3_dot(direction, sky->sun);
    v3 zenith = v3_make(0.17f, 0.32f, 0.66f);
    v3 horizon =
        v3_mix(v3_make(0.50f, 0.56f, 0.70f), v3_make(1.35f, 0.80f, 0.42f), power(toward, 3));
    float low = power(1.0f - z, 4);
    v3 color = v3_mix(zenith, horizon, low);
    if (direction.z < 0.0f) {
        v3 ground = v3_make(0.13f, 0.12f, 0.09f);
        color = v3_mix(color, ground, saturate(-direction.z * 6.0f));
    }
    return v3_mad(color, v3_make(1.0f, 0.55f, 0.22f), 0.55f * power(toward, 24));
}

v3 rio_sky_haze(const rio_sky *sky, v3 direction)
{
    direction.z = 0.06f;
    return v3_scale(rio_sky_light(sky, v3_unit(direction)), 0.82f);
}

/* Two layers of noise stretched along the horizon, as if on a plane overhead. */
static float clouds(v3 d)
{
    float k = 1.0f / (d.z + 0.12f);
    float x = d.x * k, y = d.y * k;
    float n = rio_noise(71, x * 0.8f, y * 1.5f, 0.0f) +
              0.5f * rio_noise(72, x * 1.9f, y * 3.4f, 0.0f) +
              0.25f * rio_noise(73, x * 4.1f, y * 7.3f, 0.0f) +
              0.12f * rio_noise(74, x * 9.0f, y * 14.0f, 0.0f);
    return saturate(n * 1.5f - 0.05f) * saturate(d.z * 7.0f);
}

/* Height of a ridge above the horizon, as the direction's z, around the compass. */
static float ridge(uint64_t seed, float x, float y, float size, float height)
{
    return height * (0.6f + 0.5f * rio_noise(seed, x * size, y * size, 0.0f) +
                     0.22f * rio_noise(seed + 1, x * size * 2.7f, y * size * 2.7f, 0.0f) +
                     0.09f * rio_noise(seed + 2, x * size * 7.0f, y * size * 7.0f, 0.0f));
}

v3 rio_sky_view(const rio_sky *sky, v3 direction)
{
    float flat = sqrtf(direction.x * direction.x + direction.y * direction.y) + 1.0e-6f;
    float x = direction.x / flat, y = direction.y / flat;
    v3 haze = rio_sky_haze(sky, direction);
    static const struct {
        float size, height, clear;
    } ridges[3] = {{4.5f, 0.030f, 0.72f}, {3.2f, 0.062f, 0.50f}, {2.1f, 0.100f, 0.30f}};
    for (int i = 0; i < 3; i++) {
        float top = ridge(81 + 10 * (uint64_t)i, x, y, ridges[i].size, ridges[i].height);
        if (direction.z < top) {
            v3 hill = v3_make(0.10f, 0.12f, 0.13f);
            float foot = saturate((top - direction.z) * 7.0f);
            return v3_mix(haze, hill, ridges[i].clear * (1.0f - 0.6f * foot));
        }
    }
    v3 color = rio_sky_light(sky, direction);
    float toward = saturate(v3_dot(direction, sky->sun));
    float cover = clouds(direction);
    v3 lit =
        v3_mix(v3_make(0.78f, 0.66f, 0.68f), v3_make(2.0f, 1.15f, 0.55f), power(toward, 6));
    color = v3_mix(color, lit, 0.55f * cover);
    color = v3_mad(color, v3_make(1.0f, 0.65f, 0.32f), 1.5f * power(toward, 160));
    if (toward > 0.99992f)
        color = v3_mad(color, v3_make(1.0f, 0.85f, 0.6f), 40.0f);
    return color;
}
