/* host_bullet - particles in Bullet's world, in the two ways that a host with a physics engine has.
 *
 * Crates fall on a floor, a lift goes down and up, and gravel rains on them.
 *   rays       Bullet is the ray caster, and the library has nothing else: whatever Bullet can hit,
 *              gravel bounces off. Bodies are where they are now, and push nobody: gravel that one
 *              has moved over falls out of it again.
 *   colliders  each body is a collider that goes where Bullet moves it: it carries and pushes.
 * A world has either a ray caster or colliders, so there are two worlds here, side by side. Prints how
 * it went; fails when gravel is below the floor or inside a body, when too little met a body that
 * moved, or when the lift carried none. Bullet 3. */
#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>
#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <ricochet/ricochet.h>
#include <vector>

namespace
{

constexpr float dt = 1.0f / 60.0f;

/* --- Bullet's world ----------------------------------------------------------------------- */

struct body {
    btBoxShape shape;
    btRigidBody rigid;
    rico_collider_id collider{};

    static btRigidBody::btRigidBodyConstructionInfo info(btBoxShape *shape, float mass)
    {
        btVector3 inertia(0, 0, 0);
        if (mass > 0.0f)
            shape->calculateLocalInertia(mass, inertia);
        return {mass, nullptr, shape, inertia};
    }

    body(btVector3 half, btVector3 at, float mass) : shape(half), rigid(info(&shape, mass))
    {
        const btQuaternion tilted(0.3f, 0.2f, 0.0f);
        rigid.setWorldTransform(
            btTransform(mass > 0.0f ? tilted : btQuaternion::getIdentity(), at));
    }

    bool moves() const
    {
        return !rigid.isStaticObject() && rigid.isActive();
    }
};

struct physics {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<std::unique_ptr<body>> bodies; /* the floor, the lift, the crates */
    float time = 0.0f;

    /* Bodies are numbered from 1: number 0 is a miss to the library. */
    btRigidBody &add(btVector3 half, btVector3 at, float mass)
    {
        bodies.push_back(std::make_unique<body>(half, at, mass));
        bodies.back()->rigid.setUserIndex(static_cast<int>(bodies.size()));
        return bodies.back()->rigid;
    }

    physics()
    {
        world.setGravity(btVector3(0, 0, -9.81f));
        add(btVector3(8, 8, 0.5f), btVector3(0, 0, -0.5f), 0.0f);
        add(btVector3(0.6f, 0.6f, 0.1f), btVector3(0, 1.5f, 0.3f), 0.0f)
            .setCollisionFlags(btCollisionObject::CF_KINEMATIC_OBJECT);
        for (int i = 0; i < 6; ++i) {
            const auto x = static_cast<float>(i % 3), y = static_cast<float>(i / 3);
            add(btVector3(0.3f, 0.25f, 0.2f),
                btVector3(0.8f * x - 0.8f, -0.6f * y, 2.0f + 0.5f * x + 1.5f * y), 5.0f);
        }
        for (const auto &b : bodies)
            world.addRigidBody(&b->rigid);
    }

    ~physics()
    {
        for (const auto &b : bodies)
            world.removeRigidBody(&b->rigid);
    }

    /* The lift stops at the top. */
    void step()
    {
        btRigidBody &lift = bodies[1]->rigid;
        const bool goes = (time += dt) < 6.28f;
        lift.forceActivationState(goes ? ACTIVE_TAG : ISLAND_SLEEPING);
        if (goes)
            lift.getWorldTransform().getOrigin().setZ(0.9f - 0.6f * std::cos(1.5f * time));
        world.stepSimulation(dt, 0); /* one step of just dt */
    }

    bool any_moves() const
    {
        bool any = false;
        for (const auto &b : bodies)
            any = any || b->moves();
        return any;
    }
};

/* --- Bullet as the ray caster ------------------------------------------------------------- */

void cast_one(const btCollisionWorld &world, const rico_ray &ray, rico_hit *hit)
{
    const btVector3 from(ray.origin.x, ray.origin.y, ray.origin.z);
    const btVector3 way(ray.direction.x, ray.direction.y, ray.direction.z);
    const btVector3 to = from + ray.t_max * way;
    btCollisionWorld::ClosestRayResultCallback answer(from, to);
    /* By default Bullet misses a few short rays from close to a large box. */
    answer.m_flags |= btTriangleRaycastCallback::kF_UseGjkConvexCastRaytest;
    world.rayTest(from, to, answer);
    *hit = rico_hit{};
    hit->t = ray.t_max; /* a miss: collider 0 */
    if (answer.hasHit()) {
        const btVector3 &n = answer.m_hitNormalWorld;
        hit->t = answer.m_closestHitFraction * ray.t_max;
        hit->collider = static_cast<uint32_t>(answer.m_collisionObject->getUserIndex());
        hit->normal = rico_vec3{n.x(), n.y(), n.z()};
    }
}

/* As packaged, Bullet's broad phase keeps what a ray has still to visit in one place for all threads:
 * so this world has one worker. */
void cast(void *user, const rico_filter *, const rico_ray *rays, rico_hit *hits, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        cast_one(static_cast<physics *>(user)->world, rays[i], &hits[i]);
}

/* --- Bullet's bodies as colliders --------------------------------------------------------- */

rico_motion motion_of(const body &b)
{
    const btVector3 &p = b.rigid.getWorldTransform().getOrigin();
    const btQuaternion q = b.rigid.getWorldTransform().getRotation().normalized();
    rico_motion motion{};
    motion.transform.position = rico_vec3{p.x(), p.y(), p.z()};
    motion.transform.rotation = rico_quat{q.x(), q.y(), q.z(), q.w()};
    motion.transform.scale = 1.0f;
    return motion;
}

void add_colliders(rico_world *world, const physics &p)
{
    for (const auto &b : p.bodies) {
        const btVector3 half = b->shape.getHalfExtentsWithMargin();
        rico_shape_def shape = rico_shape_def_default();
        rico_collider_def def = rico_collider_def_default();
        shape.kind = RICO_SHAPE_BOX;
        shape.half_size = rico_vec3{half.x(), half.y(), half.z()};
        def.motion = motion_of(*b);
        if (rico_world_add_shape(world, &shape, nullptr, &def.shape) != RICO_OK)
            std::exit(EXIT_FAILURE);
        b->collider = rico_world_add_collider(world, &def);
    }
}

/* What Bullet has put to sleep is left alone, and costs nothing then. */
void move_colliders(rico_world *world, const physics &p)
{
    std::vector<rico_collider_id> ids;
    std::vector<rico_motion> motions;
    for (const auto &b : p.bodies)
        if (b->moves()) {
            ids.push_back(b->collider);
            motions.push_back(motion_of(*b));
        }
    rico_world_move_colliders(world, ids.data(), motions.data(),
                              static_cast<uint32_t>(ids.size()));
}

/* --- The rest is like in any other world -------------------------------------------------- */

/* How deep a point is in a body; below 0: outside. */
float depth_in(const body &b, rico_vec3 point)
{
    const btTransform to_local = b.rigid.getWorldTransform().inverse();
    const btVector3 local = to_local * btVector3(point.x, point.y, point.z);
    const btVector3 room = b.shape.getHalfExtentsWithMargin() - local.absolute();
    return room[room.minAxis()];
}

/* What events call a body: the number that the caster answers with, or the collider's slot. */
uint32_t name_of(const body &b, bool by_number)
{
    return by_number ? static_cast<uint32_t>(b.rigid.getUserIndex()) : b.collider.index1;
}

struct gravel {
    rico_world *world = nullptr;
    rico_effect_id rain{};
    unsigned long bounces = 0, off_moving = 0, in_the_air = 0;

    explicit gravel(rico_ray_caster caster)
    {
        rico_world_def def = rico_world_def_default();
        def.max_particles = 4096;
        def.worker_count = 1;
        def.ray_caster = caster;
        if (rico_world_create(&def, &world) != RICO_OK)
            std::exit(EXIT_FAILURE);
        rico_recipe recipe = rico_recipe_default();
        recipe.mode = RICO_COLLIDE_EXACT;
        recipe.shape = RICO_EMIT_BOX;
        recipe.size = rico_vec3{1.5f, 2.2f, 0.1f};
        recipe.speed = rico_range{-2, -1}; /* against +z: downwards */
        recipe.lifetime = rico_range{20, 20};
        recipe.rate = 300;
        recipe.duration = 3;
        recipe.events = RICO_EVENT_BIT_COLLISION;
        rico_transform sky = RICO_TRANSFORM_IDENTITY;
        sky.position.z = 5;
        rain = rico_effect_spawn(world, rico_world_add_recipe(world, &recipe), sky);
    }

    ~gravel()
    {
        rico_world_destroy(world);
    }

    gravel(const gravel &) = delete;
    gravel &operator=(const gravel &) = delete;

    void step(const physics &p, bool by_number)
    {
        rico_world_step(world, dt);
        uint32_t count;
        const rico_event *events = rico_world_events(world, &count);
        for (uint32_t i = 0; i < count; ++i)
            for (const auto &b : p.bodies)
                if (events[i].collider == name_of(*b, by_number)) {
                    off_moving += b->moves();
                    in_the_air += by_number && depth_in(*b, events[i].position) < -0.03f;
                }
        bounces += count;
    }
};

struct tally {
    unsigned stones, below, inside, on_lift;
};

tally look(const gravel &g, const physics &p)
{
    tally t{};
    rico_view v = rico_effect_view(g.world, g.rain);
    while (rico_view_next(&v))
        for (uint32_t i = 0; i < v.count; ++i) {
            const rico_vec3 at{v.px[i], v.py[i], v.pz[i]};
            t.stones += 1;
            t.below += at.z < 0.0f;
            for (size_t k = 1; k < p.bodies.size(); ++k)
                t.inside += depth_in(*p.bodies[k], at) > 0.005f;
            t.on_lift += depth_in(*p.bodies[1], at) > -0.02f;
        }
    return t;
}

bool tell(const char *name, const gravel &g, const tally &t)
{
    std::printf("%s: %u stones, %lu bounces, %lu off moving bodies, %lu in the air; "
                "%u on the lift, %u below the floor, %u inside a body\n",
                name, t.stones, g.bounces, g.off_moving, g.in_the_air, t.on_lift, t.below,
                t.inside);
    return t.stones > 800 && g.off_moving > 200 && g.in_the_air == 0 && t.below == 0 &&
           t.inside == 0;
}

} // namespace

int main()
{
    physics bullet;
    rico_ray_caster caster{};
    caster.cast = cast;
    caster.user = &bullet;
    gravel rays(caster), colliders(rico_ray_caster{});
    add_colliders(colliders.world, bullet);
    unsigned ever_inside = 0;
    for (int frame = 0; frame < 480; ++frame) {
        bullet.step();
        if (bullet.any_moves())
            rico_world_ray_caster_changed(rays.world);
        move_colliders(colliders.world, bullet);
        rays.step(bullet, true);
        colliders.step(bullet, false);
        ever_inside += look(colliders, bullet).inside;
    }
    const tally on_colliders = look(colliders, bullet);
    bool right = tell("rays", rays, look(rays, bullet));
    right = tell("colliders", colliders, on_colliders) && right;
    return right && ever_inside == 0 && on_colliders.on_lift > 20 ? EXIT_SUCCESS : EXIT_FAILURE;
}
