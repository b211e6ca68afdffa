/* ricochet.h - everything. */
#ifndef RICOCHET_RICOCHET_H
#define RICOCHET_RICOCHET_H

#include <ricochet/cache.h>
#include <ricochet/force.h>
#include <ricochet/job_graph.h>
#include <ricochet/jobs.h>
#include <ricochet/jobs_profile.h>
#include <ricochet/jobs_replay.h>
#include <ricochet/jobs_trace.h>
#include <ricochet/output.h>
#include <ricochet/ray_caster.h>
#include <ricochet/recipe.h>
#include <ricochet/scene_draw.h>
#include <ricochet/scene_query.h>
#include <ricochet/step_clock.h>
#include <ricochet/tasks.h>
#include <ricochet/version.h>
#include <ricochet/world.h>
#include <ricochet/world_cache.h>
#include <ricochet/world_commands.h>
#include <ricochet/world_detail.h>
#include <ricochet/world_fields.h>
#include <ricochet/world_queries.h>
#include <ricochet/world_step.h>

#endif
