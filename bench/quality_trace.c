#include "quality_trace.h"

#include "quality_vec.h"

#define REACH 1.0 /* metres; farther surfaces are not searched */

static void print_crossing(FILE *out, const quality_judge *judge, const double from[3],
                           const double to[3], double time)
{
    quality_crossing c;
    double move[3], at[3];
    if (!quality_space_cross(&judge->space, from, time, to, time, &c))
        return;
    qv_sub(to, from, move);
    qv_mad(from, c.t, move, at);
    fprintf(out, " CROSSED %s%s at %.4f %.4f %.4f normal %.3f %.3f %.3f",
            c.body ? "the body" : "a surface", c.back_face ? " from behind" : "", at[0], at[1],
            at[2], c.normal[0], c.normal[1], c.normal[2]);
}

void quality_trace_frame(FILE *out, const quality_judge *judge, const quality_life *life,
                         const double (*points)[3], uint32_t count)
{
    double from[3], time = life->time + judge->dt;
    qv_copy(from, life->p);
    fprintf(out, "%.4f", time);
    for (uint32_t i = 0; i < count; ++i) {
        fprintf(out, " %s %.4f %.4f %.4f (%.4f from a surface)",
                i + 1 < count ? "bounce" : "to", points[i][0], points[i][1], points[i][2],
                quality_space_distance(&judge->space, points[i], time, REACH));
        print_crossing(out, judge, from, points[i], time);
        qv_copy(from, points[i]);
    }
    if (life->behind)
        fputs(" [was behind]", out);
    for (uint32_t c = 0; c < QUALITY_CHARGES; ++c)
        if (life->charges >> c & 1u)
            fprintf(out, " [%s]", quality_charge_name(c));
    fputc('\n', out);
}
