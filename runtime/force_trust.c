/* For how long a path is good that is followed as if its push stayed as it is at the start.
 *
 * A push that changes by at most `change` m/s^3 makes the path wrong by change t^3 / 6. A push
 * that may become any other of at most `most` m/s^2 makes it wrong by at most t^2 times `most`.
 * The bound that says that the path is good for longer counts. A field that is not where the
 * particle is, or whose strength is the same for a while, is left out until the particle could
 * be where that changes. */
#include "forces.h"

#include "preparation.h"

#include "bits.h"

/* Seconds. Changes are bounded for a window of time, because speeds grow with time. The first
 * window is this long. If it allows less than half of that, the second one is twice as long as
 * what it allows. Where nothing changes, a path is good for the horizon. */
#define WINDOW 0.25f

typedef struct changes {
    float window;
    float speed, accel; /* the most in the window */
    float now;          /* the particle's speed at the start */
    float calm, all;    /* m/s^3: change without what begins later; with it */
    float most;         /* m/s^2 */
    float begin;        /* when what begins later may begin */
    bool sharp;         /* what begins later is a border or a limit: its change has no bound */
} changes;

typedef struct question {
    const rico_world *world;
    const rico__recipe *recipe;
    const rico__forces *forces; /* own ones first */
    const rico__step *step;
    float most;  /* of the forces, m/s^2 */
    float rates; /* sum of the rates of forces that take speed, 1/s */
} question;

/* The least time in which `way` metres can be gone, starting at `speed`. */
static float time_to_go(float way, float speed, float accel)
{
    if (!(way > 0.0f))
        return 0.0f;
    float sum = speed + __builtin_sqrtf(speed * speed + 2.0f * accel * way);
    return 2.0f * way / float_max(sum, RICO__LEAST_RATE);
}

/* A cube root that is less than the true one. It begins with x^(3/8), which is too small where
 * x < 1. Four of Newton's steps then make it too large, by no more than 2 % from x = 1e-9 on;
 * the last factor takes these off. */
static float cube_root(float x)
{
    float root = __builtin_sqrtf(__builtin_sqrtf(x));
    root *= __builtin_sqrtf(root);
    for (int n = 0; n < 4; ++n)
        root = (2.0f * root + x / (root * root)) * (1.0f / 3.0f);
    return 0.98f * root;
}

static float time_of(float change, float most, float window)
{
    const float drift = RICO__MOST_DRIFT;
    if (!(change > 0.0f))
        return RICO__HORIZON;
    float time = window;
    if (change * (window * window * window) > 6.0f * drift)
        time = cube_root(6.0f * drift / change);
    return float_max(time, __builtin_sqrtf(drift / float_max(most, 0.01f)));
}

/* The most by which the force changes along a path, m/s^3, as long as its strength stays as it
 * is. */
static float change_of(const rico__force *f, rico_vec3 p, const changes *c)
{
    rico_vec3 r = vec3_sub(p, f->center);
    float way = c->speed * c->window, near;
    switch (f->kind) {
    case RICO_FORCE_ATTRACTOR:
        near = float_max(vec3_length(r) - way, RICO__FORCE_CORE);
        return 2.0f * f->most * c->speed / near;
    case RICO_FORCE_VORTEX:
        near = float_max(vec3_length(vec3_cross(f->axis, r)) - way, RICO__FORCE_CORE);
        return 2.0f * f->most * c->speed / near;
    case RICO_FORCE_ORBIT:
        near = __builtin_fabsf(f->speed);
        return near * (near + f->strength) * c->speed + f->strength * c->accel;
    case RICO_FORCE_DRAG:
        return f->strength * c->accel;
    case RICO_FORCE_TURBULENCE:
        return f->strength * RICO__SWIRL_CHANGE * f->per_metre * (c->speed + f->hurry);
    default:
        return 0.0f;
    }
}

/* The least way to where the strength changes with the place; negative beyond that. */
static float way_to_change(const rico__force *f, rico_vec3 p, bool *outside)
{
    rico_vec3 r = vec3_sub(p, f->middle);
    float x = __builtin_fabsf(vec3_dot(r, f->rows[0]));
    float y = __builtin_fabsf(vec3_dot(r, f->rows[1]));
    float z = __builtin_fabsf(vec3_dot(r, f->rows[2]));
    if (f->ball) {
        float out = __builtin_sqrtf(x * x + y * y + z * z);
        *outside = out >= 1.0f;
        return (*outside ? out - 1.0f : f->plateau - out) * f->least;
    }
    float out = float_max(float_max((x - 1.0f) * f->half.x, (y - 1.0f) * f->half.y),
                          (z - 1.0f) * f->half.z);
    *outside = out >= 0.0f;
    return *outside ? out : (f->plateau - float_max(float_max(x, y), z)) * f->least;
}

static void add_force(changes *c, const rico__force *f, rico_vec3 p)
{
    bool outside = false;
    float change = change_of(f, p, c), begins = RICO__NEVER, falls = 0.0f;
    if (!f->everywhere) {
        begins = time_to_go(way_to_change(f, p, &outside), c->now, c->accel);
        if (f->fade < 1.0e20f)
            falls = f->most * f->fade / f->least * c->speed;
    }
    if (!outside)
        c->calm += begins > 0.0f ? change : change + falls;
    if (begins > 0.0f)
        c->begin = float_min(c->begin, begins);
    if (begins < c->window || !outside)
        c->all += change;
    if (begins < c->window) {
        c->all += falls;
        c->sharp |= f->fade >= 1.0e20f;
    }
    if (begins < c->window || !outside)
        c->most += f->most;
}

static void add_air(changes *c, const rico__forces *forces)
{
    float through = c->speed + vec3_length(forces->wind);
    c->calm += 2.0f * forces->drag_quadratic * through * c->accel;
    c->all += 2.0f * forces->drag_quadratic * through * c->accel;
}

/* Drag that changes over life. The path has the drag of its start. Changes after the window
 * count as what begins later. */
static void add_drag(changes *c, const question *q, const rico__pushed *who)
{
    const float *drag = q->recipe->tables.drag;
    const float through = c->speed + vec3_length(q->recipe->def.wind);
    const float rate = (float)(RICO__TABLE_SIZE - 1) / who->life;
    if (!q->recipe->drag_varies)
        return;
    float at = (who->age + 0.5f * q->step->dt) * rate, steepest = 0.0f;
    uint32_t i = (uint32_t)float_clamp(at, 0.0f, (float)(RICO__TABLE_SIZE - 1));
    for (; i + 1 < RICO__TABLE_SIZE; ++i) {
        float step = __builtin_fabsf(drag[i + 1] - drag[i]), begins = ((float)i - at) / rate;
        if (step > 0.0f && begins >= c->window) {
            c->begin = float_min(c->begin, begins);
            break;
        }
        steepest = float_max(steepest, step);
    }
    c->calm += steepest * rate * through;
    c->all += steepest * rate * through;
    c->most += q->recipe->most_drag * through;
}

/* At the limit, a particle may turn. Below it, some time passes until the limit cancels what
 * speeds the particle up. A particle above it is slowed down in the next step, and in no other. */
static void add_limit(changes *c, float limit)
{
    if (!(limit > 0.0f))
        return;
    if (c->now < 0.999f * limit)
        c->begin = float_min(c->begin, (limit - c->now) / c->accel);
    if (!(c->speed > limit))
        return;
    float change = 2.0f * c->accel * c->accel / limit;
    c->all += change;
    c->most += c->accel;
    if (c->now < 0.999f * limit)
        c->sharp = true;
    else
        c->calm += change;
    if (c->now > 1.001f * limit)
        c->most = c->calm = c->all = RICO__NEVER;
}

/* Until something else begins, the path may be believed for as long as the calm changes allow.
 * All of it may be believed for as long as all changes allow, within the window. The longer
 * time counts. */
static float trust_of(const changes *c)
{
    float by_most = __builtin_sqrtf(RICO__MOST_DRIFT / float_max(c->most, 0.01f));
    float calm = time_of(c->calm, c->most, c->window);
    if (!(c->begin < RICO__NEVER)) /* calm and all are the same */
        return calm;
    calm = float_min(calm, c->begin);
    float all = c->sharp ? by_most : time_of(c->all, c->most, c->window);
    return float_max(calm, float_min(all, c->window));
}

static void add_fields(changes *c, const rico_world *world, const rico__recipe *recipe,
                       rico_vec3 p)
{
    if ((world->fields.layers & recipe->def.field_layers) == 0)
        return;
    for (uint32_t z = 0; z < world->fields.high_water; ++z) {
        const rico__zone *zone = &world->fields.items[z];
        if (zone->alive && (zone->def.layers & recipe->def.field_layers) != 0 &&
            zone->def.force.kind != RICO_FORCE_NONE)
            add_force(c, &zone->force, p);
    }
}

/* The least distance that geometry can have from p. */
static float way_to_geometry(const rico_world *world, rico_vec3 p)
{
    const rico__coverage *coverage = &world->coverage;
    int32_t finest[3], cell[3];
    size_t index;
    uint32_t beyond;
    if (!rico__record_finest(p, 1.0f / world->def.cell_size, finest))
        return 0.0f;
    for (int k = 0; k < 3; ++k)
        cell[k] = finest[k] >> RICO__FINEST_LEVEL;
    bool inside = rico__coverage_find(coverage, cell, &index, &beyond);
    uint32_t cells = inside ? rico__coverage_distance(coverage->cells[index]) : beyond;
    return cells > 1 ? (float)(cells - 1) * coverage->edge : 0.0f;
}

static float judge(const question *q, const rico__pushed *who, float window)
{
    const rico_recipe *def = &q->recipe->def;
    const float now = vec3_length(who->v);
    float through = now + vec3_length(def->wind);
    float slows = def->drag_quadratic * through * through + q->rates * now;
    changes c = {.window = window,
                 .now = now,
                 .speed = now + (q->step->fall + q->most) * window,
                 .accel = q->step->fall + q->most + q->recipe->most_drag * now + slows,
                 .most = slows,
                 .begin = RICO__NEVER};
    for (uint32_t i = 0; i < q->forces->own_count; ++i)
        add_force(&c, q->forces->items[i], who->p);
    add_fields(&c, q->world, q->recipe, who->p);
    add_air(&c, q->forces);
    add_drag(&c, q, who);
    add_limit(&c, def->limit_speed);
    return trust_of(&c);
}

static void believe(const question *q, const rico__pushed *who, rico__aim *aim)
{
    float now = vec3_length(who->v), trust = judge(q, who, WINDOW), dt = q->step->dt;
    if (trust < 0.5f * WINDOW)
        trust = float_max(float_min(judge(q, who, 2.0f * trust), 2.0f * trust), trust);
    aim->trust = float_max(trust, q->step->ahead);
    aim->most = q->most;
    aim->drag = q->recipe->drag;
    if (q->recipe->drag_varies)
        aim->drag = rico__drag_at(q->recipe, who->age, who->life, dt);
    /* No farther than where forces were looked for. */
    float room =
        float_min(way_to_geometry(q->world, who->p) - q->step->radius, RICO__FORCES_AROUND);
    aim->free = time_to_go(room, now, q->step->fall + q->most);
}

static void find_at(const rico_world *world, const rico__effect *effect, const rico__step *step,
                    const rico_box *box, rico__forces *forces, question *q)
{
    rico__forces_find(world, effect, step, box, forces);
    *q = (question){.world = world,
                    .recipe = &world->recipes[effect->recipe],
                    .forces = forces,
                    .step = step,
                    .most = rico__forces_most(forces)};
    for (uint32_t i = 0; i < forces->count; ++i)
        if (forces->items[i]->kind == RICO_FORCE_DRAG ||
            forces->items[i]->kind == RICO_FORCE_ORBIT)
            q->rates += forces->items[i]->strength;
}

void rico__forces_aim_one(const rico_world *world, const rico__effect *effect,
                          const rico__step *step, const rico__pushed *who, rico__aim *aim)
{
    rico__forces forces;
    question q;
    const rico_box box = {who->p, who->p};
    find_at(world, effect, step, &box, &forces, &q);
    forces.drags = NULL;
    aim->kick = rico__forces_kick(world, &forces, who->p, who->v);
    believe(&q, who, aim);
}

/* Packs the numbers of the lanes one after the other. *box: around their positions. */
static uint32_t pack(const rico_world *world, const rico__block *block, const uint64_t *lanes,
                     rico__aims *aims, rico_box *box)
{
    const rico__recipe *recipe = &world->recipes[block->recipe];
    const float *data = rico__block_data(world, block);
    const size_t stride = recipe->stream_floats;
    uint32_t n = 0;
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        for (uint64_t bits = lanes[w]; bits != 0; bits &= bits - 1, ++n) {
            const float *number = data + w * 64 + bits_lowest64(bits);
            for (int k = 0; k < 3; ++k) {
                aims->p[k][n] = number[(size_t)(FIELD_PX + k) * stride];
                aims->v[k][n] = number[(size_t)(FIELD_VX + k) * stride];
            }
            aims->age[n] = number[(size_t)FIELD_AGE * stride];
            aims->life[n] = number[(size_t)FIELD_LIFE * stride];
        }
    const rico__streams s = {.px = aims->p[0], .py = aims->p[1], .pz = aims->p[2]};
    world->kernels->bounds(&s, n, box);
    return n;
}

void rico__forces_aim(const rico_world *world, const rico__block *block, const rico__step *step,
                      const uint64_t *lanes, rico__aims *aims)
{
    const uint64_t asleep[RICO__MASK_WORDS] = {0};
    question q;
    rico_box box;
    uint32_t count = pack(world, block, lanes, aims, &box);
    if (count == 0)
        return;
    find_at(world, &world->effects[block->effect], step, &box, &aims->forces, &q);
    aims->most = q.most;
    for (uint32_t i = 0; i < count; ++i) {
        const rico__pushed who = {vec3(aims->p[0][i], aims->p[1][i], aims->p[2][i]),
                                  vec3(aims->v[0][i], aims->v[1][i], aims->v[2][i]),
                                  aims->age[i], aims->life[i]};
        believe(&q, &who, &aims->aim[i]);
    }
    for (uint32_t i = 0; i < count; ++i) /* kick: velocity after the pass less that before it */
        aims->aim[i].kick = vec3(-aims->v[0][i], -aims->v[1][i], -aims->v[2][i]);
    const rico__streams s = {.px = aims->p[0],
                             .py = aims->p[1],
                             .pz = aims->p[2],
                             .vx = aims->v[0],
                             .vy = aims->v[1],
                             .vz = aims->v[2],
                             .age = aims->age,
                             .life = aims->life};
    world->kernels->force(&s, count, &aims->forces, asleep);
    for (uint32_t i = 0; i < count; ++i)
        aims->aim[i].kick =
            vec3_add(aims->aim[i].kick, vec3(aims->v[0][i], aims->v[1][i], aims->v[2][i]));
}
