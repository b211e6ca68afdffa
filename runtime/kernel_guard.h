/* kernel_guard.h - the pass of mode cached: particles bounce off their own planes while they
 * have clearance. Included by kernel_body.h.
 *
 * First the whole block moves, except lanes that hit. Then these are gathered, and move
 * together.
 */
#ifndef RICO_KERNEL_GUARD_H
#define RICO_KERNEL_GUARD_H

#include "kernel_passes.h"

/* Room for lanes of a block that hit their planes. In a step one of 12 to 20 does, so half of
 * all vectors of 16 have one. A bounce takes twice as long as the rest of the pass. Gathered,
 * these lanes fill one vector or two. */
#define GATHERED 64u

enum {
    GATHER_PX,
    GATHER_PY,
    GATHER_PZ,
    GATHER_VX,
    GATHER_VY,
    GATHER_VZ,
    GATHER_AGE,
    GATHER_NXY,
    GATHER_NZ_KNOWN,
    GATHER_ND,
    GATHER_UNTIL,
    GATHER_FIELDS
};

typedef struct gathered {
    float field[GATHER_FIELDS][GATHERED];
    float time[GATHERED], speed[GATHERED], into[GATHERED]; /* of impact */
    uint8_t lane[GATHERED];
    uint32_t count;
    uint64_t rebound;
} gathered;

static void gather(gathered *g, const rico__streams *s, uint32_t i, bool rebound)
{
    const uint32_t n = g->count++;
    for (uint32_t f = 0; n % RICO_LANES == 0 && f < GATHER_FIELDS; ++f)
        vf_store(&g->field[f][n], vf_set(0.0f)); /* for lanes that are not taken */
    g->lane[n] = (uint8_t)i;
    g->rebound |= (uint64_t)rebound << n;
    g->field[GATHER_PX][n] = s->px[i];
    g->field[GATHER_PY][n] = s->py[i];
    g->field[GATHER_PZ][n] = s->pz[i];
    g->field[GATHER_VX][n] = s->vx[i];
    g->field[GATHER_VY][n] = s->vy[i];
    g->field[GATHER_VZ][n] = s->vz[i];
    g->field[GATHER_AGE][n] = s->age[i];
    g->field[GATHER_NXY][n] = s->nxy[i];
    g->field[GATHER_NZ_KNOWN][n] = s->nz_known[i];
    g->field[GATHER_ND][n] = s->nd[i];
    g->field[GATHER_UNTIL][n] = s->until[i];
}

/* Writes back a lane that bounced. */
static void scatter(const gathered *g, uint32_t n, const pass_context *c)
{
    const rico__streams *s = &c->s;
    const uint32_t i = g->lane[n];
    s->px[i] = g->field[GATHER_PX][n];
    s->py[i] = g->field[GATHER_PY][n];
    s->pz[i] = g->field[GATHER_PZ][n];
    s->vx[i] = g->field[GATHER_VX][n];
    s->vy[i] = g->field[GATHER_VY][n];
    s->vz[i] = g->field[GATHER_VZ][n];
    s->nz_known[i] = g->field[GATHER_NZ_KNOWN][n];
    s->until[i] = g->field[GATHER_UNTIL][n];
    if (c->impacts.time != NULL) {
        c->impacts.time[i] = g->time[n];
        c->impacts.speed[i] = g->speed[n];
        c->impacts.into[i] = g->into[n];
    }
}

static rico__streams gathered_streams(gathered *g)
{
    return (rico__streams){.px = g->field[GATHER_PX],
                           .py = g->field[GATHER_PY],
                           .pz = g->field[GATHER_PZ],
                           .vx = g->field[GATHER_VX],
                           .vy = g->field[GATHER_VY],
                           .vz = g->field[GATHER_VZ],
                           .age = g->field[GATHER_AGE],
                           .life = g->field[GATHER_AGE], /* not read */
                           .nxy = g->field[GATHER_NXY],
                           .nz_known = g->field[GATHER_NZ_KNOWN],
                           .nd = g->field[GATHER_ND],
                           .until = g->field[GATHER_UNTIL]};
}

/* Lanes that were gathered bounce, or stay. */
static void rebound(const pass_context *c, gathered *g, rico__masks *masks)
{
    mask_word m = {.rebound = g->rebound};
    pass_context own = {.s = gathered_streams(g), .step = c->step};
    if (c->impacts.time != NULL)
        own.impacts = (rico__impacts){g->time, g->speed, g->into};
    move_word(PASS_REBOUND, ALL_AWAKE, &own, 0, g->count, &m);
    for (uint64_t bits = m.bounced & rico__first_bits(g->count, 0); bits != 0;
         bits &= bits - 1) {
        const uint32_t n = bits_lowest64(bits), w = g->lane[n] / 64, shift = g->lane[n] % 64;
        scatter(g, n, c);
        masks->hit[w] &= ~((uint64_t)1 << shift);
        masks->bounced[w] |= (uint64_t)1 << shift;
        masks->rebound[w] |= (uint64_t)1 << shift;
        masks->asleep[w] |= (m.asleep >> n & 1) << shift;
        masks->look[w] |= (m.look >> n & 1) << shift;
    }
    g->count = 0;
    g->rebound = 0;
}

static void pass_guard(const rico__streams *s, uint32_t count, const rico__step *step,
                       rico__masks *masks, const rico__impacts *impacts)
{
    const pass_context c = {*s, *step, *impacts};
    gathered g;
    g.count = 0;
    g.rebound = 0; /* the rest is written before it is read */
    run_pass(PASS_GUARD, &c, count, masks);
    const bool bounces = s->until != NULL && !step->chord;
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
        for (uint64_t bits = bounces ? masks->hit[w] : 0; bits != 0;
             bits &= bits - 1) {
            const uint32_t shift = bits_lowest64(bits);
            gather(&g, s, w * 64 + shift, (masks->rebound[w] >> shift & 1) != 0);
            if (g.count == GATHERED)
                rebound(&c, &g, masks);
        }
    }
    if (g.count > 0)
        rebound(&c, &g, masks);
    masks->bounces = 0;
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
        masks->hit[w] &= ~masks->dead[w];
        masks->bounced[w] &= ~masks->dead[w];
        masks->look[w] &= ~masks->dead[w];
        masks->bounces += bits_count64(masks->bounced[w]);
    }
}

#endif
