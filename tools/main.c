/* ricochet - the program: subcommands. */
#include "replay.h"
#include "run.h"
#include "run_options.h"
#include "say.h"
#include "view.h"
#include <ricochet/version.h>
#include <stdio.h>
#include <string.h>

static int help_main(int argc, char **argv);

/* argv[0] is the subcommand's name. Returns the exit status: 0 done, 1 a test failed, 2 bad
 * input. */
typedef struct subcommand {
    const char *name, *help;
    int (*main)(int argc, char **argv);
    void (*print_help)(void);
} subcommand;

static const subcommand subcommands[] = {
    {"run", "run effects in a world, report times, rates and collisions, and write a picture",
     run_main, run_options_help},
    {"view", "run effects in a window; effect files may be edited meanwhile", view_main,
     view_help},
    {"replay", "cast captured rays again and check their answers", replay_main, replay_help},
    {"help", "print this text; `ricochet help run` explains a subcommand", help_main, NULL},
};

#define SUBCOMMAND_COUNT (sizeof subcommands / sizeof *subcommands)

static const subcommand *find_subcommand(const char *name)
{
    char names[128] = "";
    size_t used = 0;
    for (size_t i = 0; i < SUBCOMMAND_COUNT; ++i)
        if (strcmp(subcommands[i].name, name) == 0)
            return &subcommands[i];
    for (size_t i = 0; i < SUBCOMMAND_COUNT && used < sizeof names; ++i)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s %s",
                                 i == 0                     ? ""
                                 : i + 1 < SUBCOMMAND_COUNT ? ","
                                                            : " or",
                                 subcommands[i].name);
    say("ricochet: unknown subcommand '%s': expected%s", name, names);
    return NULL;
}

static void print_overview(void)
{
    puts("ricochet " RICO_VERSION_STRING " - CPU particles that collide with the real world\n\n"
         "usage: ricochet <subcommand> [options]\n");
    for (size_t i = 0; i < SUBCOMMAND_COUNT; ++i)
        printf("  %-8s %s\n", subcommands[i].name, subcommands[i].help);
}

static int help_main(int argc, char **argv)
{
    const subcommand *command = argc > 1 ? find_subcommand(argv[1]) : NULL;
    if (argc > 1 && !command)
        return 2;
    if (command && command->print_help)
        command->print_help();
    else
        print_overview();
    return 0;
}

/* Standard output may be a full disk or a closed pipe: report that instead of losing a report. */
static int checked(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    say("ricochet: cannot write to standard output");
    return status ? status : 2;
}

int main(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_overview();
        return checked(0);
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("ricochet " RICO_VERSION_STRING);
        return checked(0);
    }
    const subcommand *command = find_subcommand(argv[1]);
    if (command && command->print_help && argc == 3 && strcmp(argv[2], "-h") == 0) {
        command->print_help();
        return checked(0);
    }
    return command ? checked(command->main(argc - 1, argv + 1)) : 2;
}
