#include "preparation.h"
#include "check.h"

#include "block_layout.h"
#include "curve.h"
#include "float_mode.h"
#include "forces.h"
#include "looks.h"
#include "response.h"
#include "rotation.h"
#include "sprite.h"
#include "sub_emitters.h"

#include "bits.h"
#include "trig.h"
#include "vec.h"

#include <stdio.h>

#define CALL "rico_recipe_check"

/* With a smaller contact radius, rounding would decide which side of a surface a particle is
 * on. Metres. */
#define MIN_RADIUS 0.002f

/* A particle that is behind its plane by more than this has gone round or through, and the
 * plane must not pull it back. The recipe's own planes bound the effect at any distance. */
#define CONTACT_DEPTH 0.05f
#define ANY_DEPTH 1.0e30f

rico_result rico__check_numbers(const char *call, const char *owner, const rico__bound *bounds,
                                size_t count, const rico_log *log)
{
    for (size_t i = 0; i < count; ++i) {
        const rico__bound *b = &bounds[i];
        char name[96];
        if (b->value >= b->lo && b->value <= b->hi)
            continue;
        snprintf(name, sizeof name, "%s.%s", owner, b->field);
        return rico__limit_number(log, call, name, b->value, b->lo, b->hi);
    }
    return RICO_OK;
}

rico_result rico__check_bounds(const rico__bound *bounds, size_t count, const rico_log *log)
{
    return rico__check_numbers(CALL, "recipe", bounds, count, log);
}

static rico_result check_numbers(const rico_recipe *r, const rico_log *log)
{
    const rico__bound bounds[] = {
        {"gravity.x", r->gravity.x, -1000.0f, 1000.0f},
        {"gravity.y", r->gravity.y, -1000.0f, 1000.0f},
        {"gravity.z", r->gravity.z, -1000.0f, 1000.0f},
        {"drag", r->drag, 0.0f, 100.0f},
        {"radius", r->radius, 0.0f, 1.0f},
        {"restitution", r->restitution, 0.0f, 1.0f},
        {"friction", r->friction, 0.0f, 1.0f},
        {"rest_speed", r->rest_speed, 0.0f, 10.0f},
        {"restitution_random", r->restitution_random, 0.0f, 1.0f},
        {"friction_random", r->friction_random, 0.0f, 1.0f},
        {"rolling_friction", r->rolling_friction, 0.0f, 1.0f},
        {"lifetime_loss", r->lifetime_loss, 0.0f, 1.0f},
        {"kill_below", r->kill_below, 0.0f, 1.0e5f},
        {"kill_above", r->kill_above, 0.0f, 1.0e5f},
        {"queries_per_frame", r->queries_per_frame, 0.0f, 1000.0f},
    };
    return rico__check_bounds(bounds, sizeof bounds / sizeof bounds[0], log);
}

/* Particles must survive at some speeds between the two. For death at any speed there is
 * on_collision. */
static rico_result check_speeds(const rico_recipe *r, const rico_log *log)
{
    if (r->kill_above > 0.0f && r->kill_below >= r->kill_above)
        return rico__fail(log, RICO_OUT_OF_RANGE, CALL,
                          "recipe.kill_below is %g, expected less than kill_above, which is %g",
                          (double)r->kill_below, (double)r->kill_above);
    return RICO_OK;
}

static rico_result check_counts(const rico_recipe *r, const rico_log *log)
{
    if ((unsigned)r->mode >= RICO_COLLISION_MODE_COUNT)
        return rico__fail(log, RICO_OUT_OF_RANGE, CALL, "recipe.mode is %d, expected 0 to %d",
                          (int)r->mode, RICO_COLLISION_MODE_COUNT - 1);
    if ((unsigned)r->on_collision >= RICO_ON_COLLISION_COUNT)
        return rico__fail(log, RICO_OUT_OF_RANGE, CALL,
                          "recipe.on_collision is %d, expected 0 to %d", (int)r->on_collision,
                          RICO_ON_COLLISION_COUNT - 1);
    if ((unsigned)r->space >= RICO_SPACE_COUNT)
        return rico__fail(log, RICO_OUT_OF_RANGE, CALL, "recipe.space is %d, expected 0 to %d",
                          (int)r->space, RICO_SPACE_COUNT - 1);
    if (r->rolls && r->on_collision != RICO_ON_COLLISION_BOUNCE)
        return rico__fail(log, RICO_OUT_OF_RANGE, CALL,
                          "recipe.rolls is true, expected false: on_collision is not bounce");
    if (r->max_particles < 1 || r->max_particles > 1u << 24)
        return rico__fail(log, RICO_OUT_OF_RANGE, CALL,
                          "recipe.max_particles is %u, expected 1 to %u", r->max_particles,
                          1u << 24);
    if (r->plane_count > RICO_MAX_PLANES)
        return rico__fail(log, RICO_OUT_OF_RANGE, CALL,
                          "recipe.plane_count is %u, expected 0 to %u", r->plane_count,
                          RICO_MAX_PLANES);
    if ((r->events & ~RICO__EVENT_BITS) != 0)
        return rico__fail(
            log, RICO_OUT_OF_RANGE, CALL,
            "recipe.events is 0x%x, which has bits that are not RICO_EVENT_BIT_...", r->events);
    return RICO_OK;
}

static rico_result check_layers(const rico_recipe *r, const rico_log *log)
{
    const uint32_t owned = r->ignored_layers & (RICO_LAYER_DEFAULT | RICO_LAYER_MOVING);
    if (owned != 0)
        return rico__fail(log, RICO_OUT_OF_RANGE, CALL,
                          "recipe.ignored_layers is %u, expected 0 to %u without bit 0, which "
                          "is the world's own",
                          r->ignored_layers, ~(RICO_LAYER_DEFAULT | RICO_LAYER_MOVING));
    if (r->ignored_layers != 0 && r->mode == RICO_COLLIDE_CLASSIC)
        return rico__fail(log, RICO_OUT_OF_RANGE, CALL,
                          "recipe.ignored_layers is %u, expected 0 in mode classic",
                          r->ignored_layers);
    return RICO_OK;
}

static rico_result check_planes(const rico_recipe *r, const rico_log *log)
{
    for (uint32_t i = 0; i < r->plane_count; ++i) {
        const rico_plane *plane = &r->planes[i];
        char name[48];
        snprintf(name, sizeof name, "recipe.planes[%u].normal", i);
        rico_result result = rico__limit_vec3(log, CALL, name, plane->normal, __builtin_inff());
        snprintf(name, sizeof name, "recipe.planes[%u].offset", i);
        if (result == RICO_OK)
            result = rico__limit_number(log, CALL, name, plane->offset, -RICO__MOST_COORDINATE,
                                        RICO__MOST_COORDINATE);
        if (result != RICO_OK)
            return result;
        float length = vec3_length(plane->normal);
        if (length < 0.999f || length > 1.001f)
            return rico__fail(log, RICO_OUT_OF_RANGE, CALL,
                              "recipe.planes[%u].normal has length %g, expected 1", i,
                              (double)length);
    }
    return RICO_OK;
}

static rico_result check_curves(const rico_recipe *r, const rico_log *log)
{
    const struct {
        const char *name;
        const rico_curve *curve;
        rico_range values;
    } curves[] = {
        {"particle_size", &r->particle_size, RICO__SIZES},
        {"alpha_over_life", &r->alpha_over_life, RICO__SHARES},
        {"rotation_over_life", &r->rotation_over_life, RICO__TURNS},
        {"drag_over_life", &r->drag_over_life, RICO__FACTORS},
        {"sprite_frame", &r->sprite_frame, RICO__FRAMES},
    };
    rico_result result = RICO_OK;
    for (size_t i = 0; result == RICO_OK && i < sizeof curves / sizeof *curves; ++i)
        result = rico__check_curve(curves[i].name, curves[i].curve, curves[i].values, log);
    return result == RICO_OK ? rico__check_gradient("color", &r->color, log) : result;
}

rico_result rico_recipe_check(const rico_recipe *recipe, const rico_log *log)
{
    RICO__FLOAT_MODE();
    if (!RICO_REQUIRE(recipe != NULL))
        return RICO_OUT_OF_RANGE;
    if (recipe->cookie != rico_recipe_default().cookie)
        return rico__fail(log, RICO_UNINITIALIZED_DEF, CALL,
                          "the recipe was not made by rico_recipe_default()");
    rico_result result = rico__emission_check(recipe, log);
    if (result == RICO_OK)
        result = check_numbers(recipe, log);
    if (result == RICO_OK)
        result = check_speeds(recipe, log);
    if (result == RICO_OK)
        result = rico__forces_check(recipe, log);
    if (result == RICO_OK)
        result = check_counts(recipe, log);
    if (result == RICO_OK)
        result = check_layers(recipe, log);
    if (result == RICO_OK)
        result = check_planes(recipe, log);
    if (result == RICO_OK)
        result = rico__sub_emitters_check(recipe, log);
    if (result == RICO_OK)
        result = rico__detail_check(recipe, log);
    return result == RICO_OK ? check_curves(recipe, log) : result;
}

/* Whether sizes at birth differ from the curve's. */
static bool draws_size(const rico_recipe *def)
{
    const rico_curve *factor = &def->size_over_duration;
    return def->start_size.lo != 1.0f || def->start_size.hi != 1.0f || factor->key_count > 1 ||
           factor->value[0] != 1.0f;
}

static bool draws_color(const rico_recipe *def)
{
    const rico_gradient *any = &def->start_color;
    return any->key_count > 1 || rico__gradient_at(any, 0.0f) != UINT32_MAX;
}

/* Owners, constant sizes and colours, and ids are not among the whole streams: a step asks for
 * only a few of them. */
static void count_whole_streams(rico__recipe *out, const bool has[FIELD_COUNT])
{
    const rico_recipe *def = &out->def;
    out->pass_streams = out->late_first = 0;
    for (uint32_t f = 0; f < FIELD_COLLIDER; ++f)
        out->pass_streams += has[f];
    for (uint32_t f = 0; f < FIELD_SIZE; ++f)
        out->late_first += has[f];
    out->changes_looks = def->particle_size.key_count > 1 || rico__color_varies(def);
    bool any = out->changes_looks || def->rolls || def->interpolate;
    out->late_streams = any ? out->stream_count - out->late_first : 0;
}

static void lay_out_streams(rico__recipe *out)
{
    const rico_recipe *def = &out->def;
    bool has[FIELD_COUNT];
    for (uint32_t f = 0; f < FIELD_COUNT; ++f)
        has[f] = f <= FIELD_LIFE;
    bool plane = def->mode == RICO_COLLIDE_CACHED || def->mode == RICO_COLLIDE_CLASSIC;
    has[FIELD_NXY] = has[FIELD_NZ_KNOWN] = has[FIELD_ND] = plane;
    has[FIELD_UNTIL] = def->mode == RICO_COLLIDE_CACHED;
    has[FIELD_COLLIDER] = has[FIELD_TRIANGLE] =
        def->mode == RICO_COLLIDE_CACHED && (def->events & RICO_EVENT_BIT_COLLISION) != 0;
    out->draws_size = draws_size(def);
    out->draws_color = draws_color(def);
    const bool own_size = out->draws_size || (out->inherits & RICO__HANDS_ON_SIZE) != 0;
    const bool own_color = out->draws_color || (out->inherits & RICO__HANDS_ON_COLOR) != 0;
    has[FIELD_SIZE] = def->particle_size.key_count > 1 || own_size;
    has[FIELD_COLOR] = rico__color_varies(def) || own_color;
    has[FIELD_SCALE] = def->particle_size.key_count > 1 && own_size;
    has[FIELD_TINT] = rico__color_varies(def) && own_color;
    has[FIELD_ID] = def->particle_ids || out->event_bits != 0 || rico__response_draws(def) ||
                    rico__rotation_draws(def) || rico__sprite_draws(def);
    has[FIELD_WX] = has[FIELD_WY] = has[FIELD_WZ] = def->rolls;
    has[FIELD_QX] = has[FIELD_QY] = has[FIELD_QZ] = has[FIELD_QW] = def->rolls;
    has[FIELD_LAST_PX] = has[FIELD_LAST_PY] = has[FIELD_LAST_PZ] = def->interpolate;
    out->stream_count = 0;
    for (uint32_t f = 0; f < FIELD_COUNT; ++f)
        out->stream[f] = has[f] ? (uint8_t)out->stream_count++ : RICO__NO_STREAM;
    count_whole_streams(out, has);
}

/* The axis along which the normal points. RICO__NOT_LEVEL for other normals, also for an axis's
 * opposite. */
static uint8_t axis_of(rico_vec3 n)
{
    const bool x = n.x != 0.0f, y = n.y != 0.0f, z = n.z != 0.0f;
    if (x + y + z != 1 || n.x + n.y + n.z != 1.0f)
        return RICO__NOT_LEVEL;
    return x ? 0 : y ? 1 : 2;
}

static void fill_palette(rico__palette *palette, const rico_recipe *def)
{
    for (uint32_t i = 0; i < RICO__PALETTE_SIZE; ++i) {
        rico_plane plane = {{0.0f, 0.0f, 1.0f}, RICO_NO_PLANE_OFFSET};
        if (i < def->plane_count)
            plane = def->planes[i];
        palette->x[i] = plane.normal.x;
        palette->y[i] = plane.normal.y;
        palette->z[i] = plane.normal.z;
        palette->offset[i] = plane.offset;
    }
    palette->single = def->plane_count == 1;
    palette->level = palette->single ? axis_of(def->planes[0].normal) : RICO__NOT_LEVEL;
    palette->count = def->plane_count;
}

_Static_assert(RICO_MAX_PLANES < RICO__PALETTE_SIZE, "one number is left for none");

/* Drag that is the same for life is in the step's factor. */
static void prepare_drag(rico__recipe *out)
{
    const rico_recipe *def = &out->def;
    const rico_curve *curve = &def->drag_over_life;
    out->drag_varies = def->drag > 0.0f && curve->key_count > 1;
    out->drag = out->drag_varies ? 0.0f : def->drag * curve->value[0];
    out->most_drag = out->drag;
    for (uint32_t i = 0; out->drag_varies && i < RICO__TABLE_SIZE; ++i) {
        float x = (float)i / (float)(RICO__TABLE_SIZE - 1);
        out->tables.drag[i] = def->drag * rico__curve_at(curve, x, RICO__FACTORS);
        out->most_drag = float_max(out->most_drag, out->tables.drag[i]);
    }
    out->windy =
        out->drag > 0.0f && (def->wind.x != 0.0f || def->wind.y != 0.0f || def->wind.z != 0.0f);
}

static bool pushes(const rico__recipe *recipe)
{
    const rico_recipe *def = &recipe->def;
    bool any = recipe->drag_varies || def->drag_quadratic > 0.0f || def->limit_speed > 0.0f;
    for (uint32_t i = 0; i < RICO_MAX_FORCES; ++i)
        any |= def->forces[i].kind != RICO_FORCE_NONE;
    return any;
}

static void prepare_curves(rico_recipe *def)
{
    rico_curve *curves[] = {&def->speed_over_duration, &def->lifetime_over_duration,
                            &def->size_over_duration,  &def->drag_over_life,
                            &def->particle_size,       &def->alpha_over_life,
                            &def->rotation_over_life,  &def->sprite_frame};
    for (size_t i = 0; i < sizeof curves / sizeof *curves; ++i)
        rico__curve_prepare(curves[i]);
}

void rico__recipe_prepare(rico__recipe *out, const rico_recipe *recipe)
{
    *out = (rico__recipe){.def = *recipe, .step = {.dt = -1.0f}};
    prepare_curves(&out->def);
    out->sub_bits = rico__sub_emitter_bits(recipe);
    out->look_bits = rico__look_bits(recipe);
    out->event_bits = recipe->events | out->sub_bits;
    out->filter =
        (rico_filter){.layers = RICO__STILL_LAYERS, .ignored_layers = recipe->ignored_layers};
    out->lowest = rico__cos(recipe->spread);
    out->contact_radius = float_max(recipe->radius, MIN_RADIUS);
    out->fall = vec3_length(recipe->gravity);
    if (out->fall > 0.0f)
        out->up = vec3_scale(recipe->gravity, -1.0f / out->fall);
    prepare_drag(out);
    out->pushes = pushes(out);
    out->detail = rico__detail_wanted(recipe);
    rico__emission_prepare(&out->emission, recipe);
    out->plain_response = rico__response_is_plain(recipe);
    lay_out_streams(out);
    fill_palette(&out->palette, recipe);
    rico__block_lay_out(out, rico__block_capacity_expected(out));
    rico__bake_looks(&out->tables, &out->def);
    rico__rotation_prepare(out);
    rico__sprite_prepare(out);
}

void rico__recipe_inherit(rico__recipe *recipe, uint32_t inherits)
{
    recipe->inherits = inherits;
    lay_out_streams(recipe);
    rico__block_lay_out(recipe, rico__block_capacity_expected(recipe));
}

/* Drag times dt, as far as it matters. Beyond this, the wind makes all of a velocity. */
#define MOST_DRAG 60.0f

static rico_vec3 pull_of(const rico_recipe *def, float drag, float dt)
{
    /* Makes (v + pull dt) e^(-drag dt) tend to the wind w: what drag leaves of the pull's part
     * is w (1 - e^(-drag dt)). */
    float slow = float_min(drag * dt, MOST_DRAG);
    float share = slow < 1.0e-3f ? slow * (1.0f + 0.5f * slow) : rico__exp(slow) - 1.0f;
    return vec3_mad(def->gravity, def->wind, share / dt);
}

rico_vec3 rico__pull(const rico__recipe *recipe, float dt)
{
    if (!recipe->windy || !(dt > 0.0f))
        return recipe->def.gravity;
    return pull_of(&recipe->def, recipe->drag, dt);
}

/* With wind, gravity is not all that pulls a particle down. */
static void blow(rico__step *step, const rico_recipe *def, float drag, float dt)
{
    rico_vec3 pull = pull_of(def, drag, dt);
    float fall = vec3_length(pull), slow = float_min(drag * dt, MOST_DRAG);
    step->gx = pull.x * dt;
    step->gy = pull.y * dt;
    step->gz = pull.z * dt;
    step->drag_factor = rico__exp(-slow);
    step->fall = fall;
    rico_vec3 up = fall > 0.0f ? vec3_scale(pull, -1.0f / fall) : vec3(0.0f, 0.0f, 0.0f);
    step->hold_x = up.x;
    step->hold_y = up.y;
    step->hold_z = up.z;
}

float rico__drag_at(const rico__recipe *recipe, float age, float life, float dt)
{
    const float *drag = recipe->tables.drag;
    float at = (age + 0.5f * dt) / life * (float)(RICO__TABLE_SIZE - 1);
    at = float_clamp(at, 0.0f, (float)(RICO__TABLE_SIZE - 1));
    uint32_t i = uint_min((uint32_t)at, RICO__TABLE_SIZE - 2);
    return drag[i] + (drag[i + 1] - drag[i]) * (at - (float)i);
}

void rico__step_at(rico__step *step, const rico__recipe *recipe, float age, float life)
{
    if (recipe->drag_varies && step->dt > 0.0f)
        blow(step, &recipe->def, rico__drag_at(recipe, age, life, step->dt), step->dt);
}

static rico__step still_step(const rico__recipe *recipe, float dt, float cell_size)
{
    const rico_recipe *def = &recipe->def;
    return (rico__step){
        .dt = dt,
        .middle = 0.5f * dt,
        .radius = recipe->contact_radius,
        .restitution = def->restitution,
        .slip = 1.0f - def->friction,
        .rest_speed2 = def->rest_speed * def->rest_speed,
        .hold_x = recipe->up.x,
        .hold_y = recipe->up.y,
        .hold_z = recipe->up.z,
        .hold_cosine = rico__response_hold_cosine(def),
        .depth = def->mode == RICO_COLLIDE_FIXED ? ANY_DEPTH : CONTACT_DEPTH,
        .fall = recipe->fall,
        .cell_rate = 1.0f / cell_size,
        .fast_step2 = cell_size * cell_size,
    };
}

float rico__drag_factor(const rico__recipe *recipe, float dt)
{
    const float slow = recipe->drag * dt;
    if (slow == 0.0f)
        return 1.0f;
    return rico__exp(recipe->windy ? -float_min(slow, MOST_DRAG) : -slow);
}

void rico__step_kick(rico__step *step, const rico__recipe *recipe, float dt)
{
    const rico_vec3 g = vec3_scale(recipe->def.gravity, dt);
    step->kick = dt;
    if (recipe->windy && dt > 0.0f) {
        blow(step, &recipe->def, recipe->drag, dt);
        return;
    }
    step->gx = g.x;
    step->gy = g.y;
    step->gz = g.z;
    step->drag_factor = rico__drag_factor(recipe, dt);
}

rico__step rico__recipe_step(const rico__recipe *recipe, float dt, float cell_size)
{
    rico__step step = still_step(recipe, dt, cell_size);
    rico__step_kick(&step, recipe, dt);
    return step;
}
