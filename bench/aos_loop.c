#include "aos_loop.h"

#include "machine.h"

#include <math.h>
#include <stdlib.h>

typedef struct particle {
    float px, py, pz;
    float vx, vy, vz;
    float age, life;
    float nx, ny, nz, offset; /* own plane */
    float size;
    uint32_t color;
} particle;

struct aos_loop {
    particle *particles;
    uint32_t count, random;
    float normal[3];
    bool planes, curves;
    aos_loop_work done;
};

static float random_unit(aos_loop *a)
{
    a->random = a->random * 1664525u + 1013904223u;
    return (float)(a->random >> 8) * 0x1p-24f;
}

/* Like the benchmark's fountain: from 1.5 m, in a cone of 30 degrees, 3..5 m/s, living 2..4 s. */
static void respawn(aos_loop *a, particle *p)
{
    float turn = 6.2831853f * random_unit(a);
    float cosine = 1.0f - 0.1339746f * random_unit(a);
    float sine = sqrtf(1.0f - cosine * cosine);
    float speed = 3.0f + 2.0f * random_unit(a);
    *p = (particle){.pz = 1.5f, .nx = a->normal[0], .ny = a->normal[1], .nz = a->normal[2]};
    p->vx = speed * sine * cosf(turn);
    p->vy = speed * sine * sinf(turn);
    p->vz = speed * cosine;
    p->life = 2.0f + 2.0f * random_unit(a);
}

aos_loop *aos_loop_create(uint32_t particles, const float normal[3], bool curves)
{
    aos_loop *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->count = particles;
    a->planes = normal != NULL;
    for (int k = 0; k < 3; ++k)
        a->normal[k] = normal ? normal[k] : 0.0f;
    a->curves = curves;
    a->random = 1;
    a->particles = machine_memory(particles * sizeof *a->particles);
    if (!a->particles) {
        free(a);
        return NULL;
    }
    for (uint32_t i = 0; i < particles; ++i) {
        respawn(a, &a->particles[i]);
        a->particles[i].age = a->particles[i].life * random_unit(a);
    }
    return a;
}

void aos_loop_destroy(aos_loop *a)
{
    if (a)
        free(a->particles);
    free(a);
}

static void bounce(aos_loop *a, particle *p)
{
    float distance = p->nx * p->px + p->ny * p->py + p->nz * p->pz - p->offset - 0.01f;
    float speed = p->nx * p->vx + p->ny * p->vy + p->nz * p->vz;
    if (distance >= 0.0f || speed >= 0.0f)
        return;
    /* Restitution 0.5, friction 0.2: v' = 0.8 (v - s n) - 0.5 s n. */
    p->vx = 0.8f * p->vx - 1.3f * speed * p->nx;
    p->vy = 0.8f * p->vy - 1.3f * speed * p->ny;
    p->vz = 0.8f * p->vz - 1.3f * speed * p->nz;
    p->px -= distance * p->nx;
    p->py -= distance * p->ny;
    p->pz -= distance * p->nz;
    ++a->done.bounces;
}

/* Four keys of size and colour, as in the recipe. */
static void over_life(particle *p)
{
    static const float at[4] = {0.0f, 0.2f, 0.6f, 1.0f};
    static const float size[4] = {0.01f, 0.05f, 0.04f, 0.0f};
    static const float rgba[4][4] = {{255.0f, 240.0f, 200.0f, 255.0f},
                                     {255.0f, 180.0f, 80.0f, 255.0f},
                                     {200.0f, 80.0f, 20.0f, 200.0f},
                                     {60.0f, 20.0f, 10.0f, 0.0f}};
    float t = p->age / p->life;
    int k = t < at[1] ? 0 : t < at[2] ? 1 : 2;
    float blend = (t - at[k]) / (at[k + 1] - at[k]);
    p->size = size[k] + (size[k + 1] - size[k]) * blend;
    uint32_t color = 0;
    for (int c = 0; c < 4; ++c) {
        float value = rgba[k][c] + (rgba[k + 1][c] - rgba[k][c]) * blend;
        color |= (uint32_t)(value + 0.5f) << (8 * c);
    }
    p->color = color;
}

void aos_loop_step(aos_loop *a, float dt)
{
    float drag = expf(-0.1f * dt);
    for (uint32_t i = 0; i < a->count; ++i) {
        particle *p = &a->particles[i];
        p->age += dt;
        if (p->age >= p->life) {
            respawn(a, p);
            ++a->done.respawns;
        }
        p->vz -= 9.81f * dt;
        p->vx *= drag;
        p->vy *= drag;
        p->vz *= drag;
        p->px += p->vx * dt;
        p->py += p->vy * dt;
        p->pz += p->vz * dt;
        if (a->planes)
            bounce(a, p);
        if (a->curves)
            over_life(p);
    }
    a->done.particle_steps += a->count;
}

aos_loop_work aos_loop_done(const aos_loop *a)
{
    return a->done;
}
