/* effects_host.c - a host of libricochet-effects on Windows, for dll_test.sh: an effect file that
 * names others, an error, a text that the library's C library has made, a file that is followed.
 *
 * usage: effects_host FILE.json
 * Like host.c it includes no header but the libraries' own. What is large is static, because
 * compilers check large stacks by functions of their own.
 */
#include <ricochet/effects/effect_source.h>
#include <ricochet/ricochet.h>

int printf(const char *format, ...);
size_t strlen(const char *text);

static char error[RIO_EFFECT_ERROR_BYTES];

static rico_world *make_world(void)
{
    rico_world_def def = rico_world_def_default();
    rico_world *world;
    def.worker_count = 2;
    return rico_world_create(&def, &world) == RICO_OK ? world : 0;
}

/* The length of the text of an effect; 0 = there is none. */
static size_t text_of(const char *path)
{
    static rio_effect effect;
    if (rio_effect_load(path, &effect, error, sizeof error) != RICO_OK)
        return 0;
    char *text = rio_effect_text_of(&effect, 0);
    const size_t length = text != 0 ? strlen(text) : 0;
    rio_effect_text_free(text);
    rio_effect_free(&effect);
    return length;
}

int main(int argc, char **argv)
{
    static rio_effect_source source;
    rico_world *world = make_world();
    rico_effect_id ids[RIO_MOST_GROUP];
    rico_effect_def def = rico_effect_def_default();
    unsigned particles = 0;
    if (argc < 2 || world == 0)
        return 1;
    if (rio_effect_source_open(argv[1], world, &source, error, sizeof error) != RICO_OK) {
        printf("%s\n", error);
        return 1;
    }
    def.transform.position.z = 2;
    if (rio_group_spawn(world, &source.group, &def, ids, RIO_MOST_GROUP) != RICO_OK)
        return 1;
    for (int step = 0; step < 60; ++step)
        rico_world_step(world, 1.0f / 60.0f);
    if (rio_effect_source_poll(&source, world, error, sizeof error) != RIO_SOURCE_SAME)
        return 1;
    for (unsigned i = 0; i < source.group.count; ++i)
        particles += rico_effect_particle_count(world, ids[i]);
    printf("%u effects, %u particles, hash %016llx, %u bytes\n", source.group.count, particles,
           (unsigned long long)rico_world_hash(world), (unsigned)text_of(argv[1]));
    static rio_effect none;
    if (rio_effect_load("no\\such.json", &none, error, sizeof error) != RICO_NOT_FOUND)
        return 1;
    printf("%s\n", error);
    rico_world_destroy(world);
    return 0;
}
