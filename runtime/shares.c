#include "shares.h"

#include "stages.h"

#include "vec.h"

/* In 2^-8, and at least one, so that every effect that lacks something is served some time. */
static uint64_t weight(const rico__account *account)
{
    return 1 + (uint64_t)(account->significance * 255.0f);
}

/* What the account's own credit pays for; the rest of the credit is for all. */
static uint32_t own_part(const rico__account *account)
{
    if (account->wanted == 0)
        return 0;
    float units = account->credit * account->significance;
    uint32_t credit = units >= 1.0f ? (uint32_t)units : 0;
    return uint_min(credit, account->wanted);
}

/* Shares are rounded by carrying the remainder from effect to effect. That starts at another
 * place in each frame, so that no effect starves for ever. */
static uint64_t first_carry(const rico_world *world, uint64_t total)
{
    return (uint64_t)world->lived * 7919u % total;
}

/* Limits grants to the world's budget, when that is less than all of them. */
static void limit_to_world(rico_world *world, uint64_t granted)
{
    uint64_t budget = world->def.queries_per_frame;
    if (granted <= budget)
        return;
    uint64_t carry = first_carry(world, granted), left = budget;
    for (uint32_t i = 0; i < world->sleep.active_count; ++i) {
        const uint32_t place = world->sleep.active[i];
        if (world->sums[place].wanted == 0)
            continue;
        for (uint32_t slot = rico__first_slot(place); slot < rico__end_slot(world, place);
             ++slot) {
            rico__account *account = &world->accounts[slot];
            carry += account->granted * budget;
            uint64_t part = carry / granted;
            carry %= granted;
            part = part < left ? part : left;
            account->granted = (uint32_t)part;
            left -= part;
        }
    }
}

/* Of effects that share: the units that are wanted and not granted yet, and these by their
 * weights. */
typedef struct lack {
    uint64_t units, weighted;
} lack;

static lack remaining_need(const rico_world *world)
{
    lack need = {0, 0};
    for (uint32_t i = 0; i < world->sleep.active_count; ++i) {
        const uint32_t place = world->sleep.active[i];
        if (world->sums[place].lacked == 0)
            continue;
        for (uint32_t slot = rico__first_slot(place); slot < rico__end_slot(world, place);
             ++slot) {
            const rico__account *account = &world->accounts[slot];
            if (account->shares)
                need.units += account->wanted - account->granted;
        }
    }
    need.weighted = need.units;
    return need;
}

/* A pool that is shared out among effects that lack something. */
typedef struct dole {
    uint64_t pool, carry;
    lack need;
    bool weighs;
    uint32_t left;
} dole;

static void give_part(rico__account *account, dole *d)
{
    if (!account->shares)
        return;
    uint64_t lacks = account->wanted - account->granted, part = lacks;
    if (d->need.units > d->pool) {
        d->carry += lacks * (d->weighs ? weight(account) : 1) * d->pool;
        part = d->carry / d->need.weighted;
        d->carry %= d->need.weighted;
        part = part < lacks ? part : lacks;
    }
    part = part < d->left ? part : d->left;
    account->granted += (uint32_t)part;
    d->left -= (uint32_t)part;
}

/* Gives what is left to effects that lack something; returns how much that was. */
static uint64_t share_out(rico_world *world, lack need, bool weighs, uint32_t *left)
{
    dole d = {.pool = *left, .need = need, .weighs = weighs, .left = *left};
    if (need.units == 0)
        return 0;
    d.carry = first_carry(world, need.units) * need.weighted / need.units;
    for (uint32_t i = 0; i < world->sleep.active_count && d.left > 0; ++i) {
        const uint32_t place = world->sleep.active[i];
        if (world->sums[place].lacked == 0)
            continue;
        for (uint32_t slot = rico__first_slot(place); slot < rico__end_slot(world, place);
             ++slot)
            give_part(&world->accounts[slot], &d);
    }
    *left = d.left;
    return d.pool - d.left;
}

/* What others may have of what is left to the account. An effect that lacks something saves for
 * its next unit. Otherwise effects that ask for most would get all others' parts of units. */
static float spare_of(const rico__account *account, float spent)
{
    bool lacks = account->wanted > account->granted;
    float own = account->credit * account->significance - spent;
    return account->credit - spent - (lacks ? float_clamp(own, 0.0f, 1.0f) : 0.0f);
}

/* Unspent credit does not pile up: it is at most one unit beside this frame's. */
static void open_account(const rico_world *world, uint32_t slot)
{
    const rico__effect *effect = &world->effects[slot];
    rico__account *account = &world->accounts[slot];
    account->wanted = account->granted = 0;
    account->shares = false;
    if (!effect->alive)
        return;
    const rico__recipe *recipe = &world->recipes[effect->recipe];
    account->shares = recipe->def.mode == RICO_COLLIDE_CACHED;
    account->significance = recipe->detail ? effect->regard.significance : 1.0f;
    if (!(effect->dt > 0.0f))
        return;
    float units = recipe->def.queries_per_frame;
    account->credit = float_min(account->credit + units, units + 1.0f);
}

void rico__shares_begin(const rico_world *world, uint32_t slot, uint32_t wanted,
                        rico__sums *sums)
{
    rico__account *account = &world->accounts[slot];
    open_account(world, slot);
    account->wanted = wanted;
    account->granted = own_part(account);
    sums->wanted += wanted;
    sums->granted += account->granted;
    if (!account->shares)
        return;
    uint64_t lacks = wanted - account->granted;
    sums->lacked += lacks;
    sums->weighted += lacks * weight(account);
    /* Debts come first: gathers may cost more than one unit. */
    sums->spare += spare_of(account, (float)account->granted);
}

/* Units in a step for effects that share: the world's own, and those of sleeping effects. */
static float units_of_nobody(const rico_world *world)
{
    return (float)(world->def.shared_queries_per_frame + (double)world->sleep.units * 0x1p-16);
}

uint32_t rico__shares_grant(rico_world *world)
{
    lack need = {0, 0};
    uint64_t granted = 0;
    float spare = units_of_nobody(world);
    for (uint32_t i = 0; i < world->sleep.active_count; ++i) {
        const rico__sums *sums = &world->sums[world->sleep.active[i]];
        granted += sums->granted;
        need.units += sums->lacked;
        need.weighted += sums->weighted;
        spare += sums->spare;
    }
    uint32_t pool = spare >= 1.0f ? (uint32_t)float_min(spare, 1.0e6f) : 0;
    /* Effects' own units come first within the world's budget, too. */
    const uint64_t budget = world->def.queries_per_frame;
    pool = uint_min(pool, (uint32_t)(budget > granted ? budget - granted : 0));
    uint32_t left = pool;
    granted += share_out(world, need, true, &left);
    /* An effect that matters may not need all that its weight gives it. */
    if (left > 0 && pool - left < need.units)
        granted += share_out(world, remaining_need(world), false, &left);
    limit_to_world(world, granted);
    return left;
}

/* What accounts that share owe, and what they can give. Sleeping effects give what a step
 * brings them. */
static void add_up(const rico_world *world, float *owed, float *owned)
{
    *owed = 0.0f;
    *owned = units_of_nobody(world);
    for (uint32_t i = 0; i < world->sleep.active_count; ++i) {
        const uint32_t place = world->sleep.active[i];
        for (uint32_t slot = rico__first_slot(place); slot < rico__end_slot(world, place);
             ++slot) {
            const rico__account *account = &world->accounts[slot];
            if (!account->shares)
                continue;
            *owed += float_max(-account->credit, 0.0f);
            *owned += float_max(spare_of(account, 0.0f), 0.0f);
        }
    }
}

void rico__shares_balance(rico_world *world)
{
    float owed, owned;
    add_up(world, &owed, &owned);
    float paid = float_min(owed, owned);
    if (!(paid > 0.0f))
        return;
    float debt_left = (owed - paid) / owed, lent = paid / owned;
    for (uint32_t i = 0; i < world->sleep.active_count; ++i) {
        const uint32_t place = world->sleep.active[i];
        for (uint32_t slot = rico__first_slot(place); slot < rico__end_slot(world, place);
             ++slot) {
            rico__account *account = &world->accounts[slot];
            if (!account->shares)
                continue;
            if (account->credit < 0.0f)
                account->credit *= debt_left;
            else
                account->credit -= lent * spare_of(account, 0.0f);
        }
    }
}
