/* Removal of dead particles: the last particles of the block take their places. */
#include "contact.h"
#include "looks.h"

#include "bits.h"
#include "check.h"

static void record_deaths(rico__block_context *c)
{
    const uint32_t *id =
        (const uint32_t *)(const void *)rico__stream(c->recipe, c->data, FIELD_ID);
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w) {
        for (uint64_t bits = c->masks.dead[w]; bits != 0; bits &= bits - 1) {
            uint32_t i = w * 64 + bits_lowest64(bits);
            *rico__event_raise(&c->scratch->events) = (rico_event){
                .type = RICO_EVENT_DEATH,
                .particle = id[i],
                .effect = {c->block->effect + 1, c->effect->generation},
                .position = block_position(c, i),
                .speed = vec3_length(block_velocity(c, i)),
                .time = c->step.dt,
                .velocity = block_velocity(c, i),
                .triangle = RICO_NO_TRIANGLE,
            };
            rico__look_note_at(c, i, RICO_EVENT_DEATH, c->streams.age[i], c->streams.life[i]);
        }
    }
}

/* A survivor that takes a dead particle's place. */
typedef struct move_to {
    uint16_t from, to;
} move_to;

/* Finds the places of the dead below `kept`, and as many survivors from there on. */
static uint32_t find_moves(const uint64_t *dead, uint32_t count, uint32_t kept, move_to *moves)
{
    uint32_t holes = 0, survivors = 0;
    for (uint32_t w = 0; w * 64 < kept; ++w) {
        const uint64_t low = rico__first_bits(kept, w);
        for (uint64_t bits = dead[w] & low; bits != 0; bits &= bits - 1)
            moves[holes++].to = (uint16_t)(w * 64 + bits_lowest64(bits));
    }
    for (uint32_t i = kept; i < count; ++i) {
        moves[survivors].from = (uint16_t)i;
        survivors += !rico__bit(dead, i);
    }
    RICO_ASSERT(holes == survivors);
    return holes;
}

static void move_numbers(float *data, const rico__recipe *recipe, const move_to *moves,
                         uint32_t count)
{
    for (uint32_t m = 0; m < count; ++m) {
        const float *from = data + moves[m].from;
        float *to = data + moves[m].to;
        for (uint32_t s = 0; s < recipe->stream_count; ++s)
            to[s * recipe->stream_floats] = from[s * recipe->stream_floats];
    }
}

static void move_bits(uint64_t words[RICO__MASK_WORDS], const move_to *moves, uint32_t count,
                      uint32_t kept)
{
    if (!rico__any_bit(words))
        return;
    for (uint32_t m = 0; m < count; ++m)
        rico__bit_set(words, moves[m].to, rico__bit(words, moves[m].from));
    for (uint32_t w = 0; w < RICO__MASK_WORDS; ++w)
        words[w] &= rico__first_bits(kept, w);
}

/* The last survivors take the places of the dead. So two cache lines per field are written,
 * whatever the block's size. */
void rico__compact(rico__block_context *c)
{
    rico__block *block = c->block;
    const uint32_t deaths = rico__bit_count(c->masks.dead, block->count);
    move_to moves[RICO__MAX_BLOCK / 2 + 1]; /* one more is written, and not kept */
    const uint32_t kept = block->count - deaths;
    if ((c->recipe->event_bits & RICO_EVENT_BIT_DEATH) != 0)
        record_deaths(c);
    uint32_t count = find_moves(c->masks.dead, block->count, kept, moves);
    move_numbers(c->data, c->recipe, moves, count);
    move_bits(block->asleep, moves, count, kept);
    move_bits(block->waits, moves, count, kept);
    move_bits(c->masks.rebound, moves, count, kept);
    move_bits(c->masks.look, moves, count, kept);
    block->count = (uint16_t)kept;
    c->scratch->tally.deaths += deaths;
}
