/* While a step runs, or a cache is saved or drawn, who edits the world is refused, and told so. */
#include "runtime_refused.h"

#include "state.h"

#include <ricochet/output.h>
#include <ricochet/world_cache.h>
#include <ricochet/world_detail.h>
#include <ricochet/world_fields.h>

typedef struct busy {
    rico_world *world;
    rico_recipe recipe;
    rico_recipe_id recipe_id;
    rico_effect_id effect;
    rico_output *output;
    kept_log log;
} busy;

static void begin(busy *b)
{
    b->world = heard_world(&b->log);
    b->recipe = rico_recipe_default();
    b->recipe.max_particles = 10;
    b->recipe_id = rico_world_add_recipe(b->world, &b->recipe);
    b->effect = rico_effect_spawn(b->world, b->recipe_id, at(0.0f, 0.0f, 0.0f));
    rico_output_def def = rico_output_def_default();
    def.capacity = 16;
    static _Alignas(64) rico_billboard memory[2][64];
    def.memory[0] = memory[0];
    def.memory[1] = memory[1];
    CHECK_EQ(rico_output_create(b->world, &def, &b->output), RICO_OK);
    b->world->stepping = true;
}

static void end(busy *b)
{
    b->world->stepping = false;
    rico_output_destroy(b->output);
    rico_world_destroy(b->world);
}

/* The result, the world's last one, and one message, which names the call. */
#define BUSY(name, call)                                                                       \
    do {                                                                                       \
        b.log = (kept_log){.text = ""};                                                        \
        CHECK_EQ(call, RICO_BUSY);                                                             \
        CHECK_EQ(rico_world_last_result(b.world), RICO_BUSY);                                  \
        CHECK_EQ(b.log.errors, 1);                                                             \
        CHECK_MSG(strstr(b.log.text, name ": not while a step runs") != NULL, "'%s', not %s",  \
                  b.log.text, name);                                                           \
    } while (0)
#define LAST(call) ((call).index1 == 0 ? rico_world_last_result(b.world) : RICO_OK)

TEST(busy, worlds_tell_who_changes_effects_and_recipes)
{
    busy b;
    begin(&b);
    rico_field_def field = rico_field_def_default();
    rico_effect_def spawned = rico_effect_def_default();
    rico_transform here = at(0.0f, 0.0f, 0.0f);
    BUSY("rico_world_add_recipe", LAST(rico_world_add_recipe(b.world, &b.recipe)));
    BUSY("rico_world_change_recipe", rico_world_change_recipe(b.world, b.recipe_id, &b.recipe));
    BUSY("rico_world_remove_recipe", rico_world_remove_recipe(b.world, b.recipe_id));
    BUSY("rico_effect_spawn", LAST(rico_effect_spawn(b.world, b.recipe_id, here)));
    BUSY("rico_effect_spawn", LAST(rico_effect_spawn_def(b.world, b.recipe_id, &spawned)));
    BUSY("rico_effect_move", rico_effect_move(b.world, b.effect, here));
    BUSY("rico_effect_teleport", rico_effect_teleport(b.world, b.effect, here));
    BUSY("rico_effect_stop", rico_effect_stop(b.world, b.effect));
    BUSY("rico_effect_seek", rico_effect_seek(b.world, b.effect, 1.0f, 0.1f));
    BUSY("rico_effect_destroy", rico_effect_destroy(b.world, b.effect));
    BUSY("rico_world_add_field", LAST(rico_world_add_field(b.world, &field)));
    BUSY("rico_world_set_viewers", rico_world_set_viewers(b.world, NULL, 0));
    end(&b);
}

TEST(busy, worlds_tell_who_changes_what_particles_meet_or_reads_them)
{
    busy b;
    begin(&b);
    rico_shape_def shape = rico_shape_def_default();
    rico_collider_def collider = rico_collider_def_default();
    rico_mesh mesh = {0};
    rico_shape_id shape_id;
    rico_output *output;
    rico_output_def def = rico_output_def_default();
    rico_output_frame frame;
    rico_transform here = at(0.0f, 0.0f, 0.0f);
    BUSY("rico_world_add_mesh", LAST(rico_world_add_mesh(b.world, &mesh, here)));
    BUSY("rico_world_add_shape", rico_world_add_shape(b.world, &shape, NULL, &shape_id));
    BUSY("rico_world_add_collider", LAST(rico_world_add_collider(b.world, &collider)));
    BUSY("rico_world_set_layers",
         rico_world_set_layers(b.world, (rico_collider_id){1, 1}, 2));
    BUSY("rico_world_remove_collider",
         rico_world_remove_collider(b.world, (rico_collider_id){1, 1}));
    BUSY("rico_world_move_colliders", rico_world_move_colliders(b.world, NULL, NULL, 0));
    BUSY("rico_world_merge", rico_world_merge(b.world));
    BUSY("rico_world_set_surface", rico_world_set_surface(b.world, 1, 1.0f, 1.0f));
    BUSY("rico_world_shift_origin", rico_world_shift_origin(b.world, (rico_vec3){1, 0, 0}));
    BUSY("rico_world_bake", rico_world_bake(b.world, NULL, NULL));
    BUSY("rico_world_load_cache", rico_world_load_cache(b.world, "", 1));
    BUSY("rico_world_ray_caster_changed", rico_world_ray_caster_changed(b.world));
    BUSY("rico_output_create", rico_output_create(b.world, &def, &output));
    BUSY("rico_output_write", rico_output_write(b.output, &b.effect, 1, NULL, &frame));
    end(&b);
}
