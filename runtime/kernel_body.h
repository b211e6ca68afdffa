/* kernel_body.h - the inner loops, written once.
 *
 * Included by kernel_<isa>.c, which first defines RICO_LANES and KERNEL(name). Each lane does
 * the same operations in the same order whatever the lane count, so all ISAs give the same
 * bits. Lanes past `count` hold stale values, which are computed with and never reported.
 */
#include "kernel_passes.h"

#include "kernel_births.h"
#include "kernel_curves.h"
#include "kernel_exact.h"
#include "kernel_flights.h"
#include "kernel_forces.h"
#include "kernel_guard.h"
#include "kernel_records.h"
#include "kernel_surfaces.h"

const rico__kernels KERNEL(rico__kernels) = {
    .isa = KERNEL_ISA,
    .move = pass_move,
    .fixed = pass_fixed,
    .plane = pass_plane,
    .guard = pass_guard,
    .planes = pass_planes,
    .exact = pass_exact,
    .clear_ways = clear_ways,
    .force = force,
    .tidy = tidy,
    .bear = bear,
    .bounds = bounds,
    .ballistic = ballistic,
    .straight = straight,
    .clearance = clearance,
    .fly = fly,
    .curves = curves,
    .turn = turn,
    .follow = follow,
    .tint = tint,
    .billboards = billboards,
};
