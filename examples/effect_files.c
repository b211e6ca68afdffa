/* effect_files - effects from JSON files, as they come with the library or as an artist wrote
 * them.
 *
 * Link with libricochet-effects (docs/embedding.md). An error in a file is one line that names
 * file, line, column and field.
 */
#include <ricochet/effects/effect_group.h>
#include <ricochet/ricochet.h>

#include <stdio.h>

#define DT (1.0f / 60.0f)

static bool add_ground(rico_world *world)
{
    static const float corners[] = {-9, -9, 0, 9, -9, 0, 9, 9, 0, -9, 9, 0};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    rico_mesh ground = {
        .positions = corners, .vertex_count = 4, .indices = triangles, .triangle_count = 2};
    return rico_world_add_mesh(world, &ground, RICO_TRANSFORM_IDENTITY).index1 != 0;
}

/* Loads the recipes of a file and of the files that it is spawned with, once; they can be
 * spawned any number of times. links: files of the same directory that others name become
 * recipes only once. */
static bool add_file(rico_world *world, const char *path, rio_links *links, rio_group *out)
{
    char error[RIO_EFFECT_ERROR_BYTES];
    rio_effect effect;
    rico_recipe_id recipe = {0, 0};
    if (rio_effect_load(path, &effect, error, sizeof error) != RICO_OK) {
        fprintf(stderr, "%s\n", error);
        return false;
    }
    if (effect.idle[0] != '\0') /* no error, but the author of the file should know */
        fprintf(stderr, "note: %s\n", effect.idle);
    if (rio_effect_link(world, &effect, links, &effect.recipe, error, sizeof error) == RICO_OK)
        recipe = rico_world_add_recipe(world, &effect.recipe); /* else the log says why */
    else
        fprintf(stderr, "%s\n", error);
    *out = rio_effect_group(&effect, links, recipe);
    if (effect.host != NULL) /* a renderer would find its texture there */
        printf("%s: %s\n", path, effect.host);
    rio_effect_free(&effect); /* the world has copied what it needs */
    return recipe.index1 != 0;
}

/* Spawns the whole group 2 m up and carries it along the x axis for a second. */
static bool run_group(rico_world *world, const rio_group *group, uint64_t *births)
{
    rico_effect_id ids[RIO_MOST_GROUP];
    rico_effect_def def = rico_effect_def_default();
    def.transform.position.z = 2.0f;
    if (rio_group_spawn(world, group, &def, ids, RIO_MOST_GROUP) != RICO_OK)
        return false; /* the log gives the reason */
    for (int frame = 0; frame < 60; ++frame) {
        def.transform.position.x += 1.0f * DT;
        for (uint32_t i = 0; i < group->count; ++i)
            rico_effect_move(world, ids[i], rio_group_place(group, i, def.transform));
        rico_world_step(world, DT);
        *births += rico_world_get_stats(world).births;
    }
    for (uint32_t i = 0; i < group->count; ++i)
        rico_effect_stop(world, ids[i]);
    return true;
}

int main(int argc, char **argv)
{
    rico_world_def def = rico_world_def_default();
    rico_world *world;
    rio_links links = {.count = 0};
    if (argc < 2) {
        fprintf(stderr, "usage: effect_files FILE.json...\n");
        return 2;
    }
    if (rico_world_create(&def, &world) != RICO_OK || !add_ground(world))
        return 1; /* the log gives the reason */
    uint64_t births = 0;
    for (int i = 1; i < argc; ++i) {
        rio_group group;
        if (!add_file(world, argv[i], &links, &group) || !run_group(world, &group, &births))
            return 1;
    }
    printf("%d files, %u more that they name, %llu births\n", argc - 1, links.count,
           (unsigned long long)births);
    rico_world_destroy(world);
    return births > 0 ? 0 : 1;
}
