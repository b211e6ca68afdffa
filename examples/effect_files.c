/* effect_files - effects from JSON files, as they come with the library or as an artist wrote them.
 *
 * Link with libricochet-effects (docs/embedding.md). What is wrong with a file is one line that names
 * file, line, column and field.
 */
#include <ricochet/effects/effect_links.h>
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

/* links: files of the same directory that sub-emitters name become recipes once. */
static rico_effect_id spawn_file(rico_world *world, const char *path, rio_links *links)
{
    char error[RIO_EFFECT_ERROR_BYTES];
    rico_effect_id id = {0, 0};
    rio_effect effect;
    if (rio_effect_load(path, &effect, error, sizeof error) != RICO_OK) {
        fprintf(stderr, "%s\n", error);
        return id;
    }
    rico_transform where = RICO_TRANSFORM_IDENTITY;
    where.position.z = 2.0f;
    if (rio_effect_link(world, &effect, links, &effect.recipe, error, sizeof error) == RICO_OK)
        id = rico_effect_spawn(world, rico_world_add_recipe(world, &effect.recipe), where);
    else
        fprintf(stderr, "%s\n", error);
    if (effect.host != NULL) /* a renderer would look for its texture in there */
        printf("%s: %s\n", path, effect.host);
    rio_effect_free(&effect); /* the world has copied what it needs */
    return id;
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
        return 1; /* the log has said why */
    for (int i = 1; i < argc; ++i)
        if (spawn_file(world, argv[i], &links).index1 == 0)
            return 1;
    uint64_t births = 0;
    for (int frame = 0; frame < 60; ++frame) {
        rico_world_step(world, DT);
        births += rico_world_get_stats(world).births;
    }
    printf("%d files, %u more that they name, %llu births\n", argc - 1, links.count,
           (unsigned long long)births);
    rico_world_destroy(world);
    return births > 0 ? 0 : 1;
}
