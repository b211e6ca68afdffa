#include "osg_particle.h"

#include <new>
#include <osg/FrameStamp>
#include <osg/Group>
#include <osg/NodeVisitor>
#include <osgParticle/AccelOperator>
#include <osgParticle/BounceOperator>
#include <osgParticle/DampingOperator>
#include <osgParticle/ModularEmitter>
#include <osgParticle/ModularProgram>
#include <osgParticle/ParticleSystem>
#include <osgParticle/ParticleSystemUpdater>
#include <osgParticle/PointPlacer>
#include <osgParticle/RadialShooter>
#include <osgParticle/RandomRateCounter>
#include <vector>

namespace
{

constexpr int emitters = 8;
constexpr float mean_life = 3.0f;

/* The fountain: from 1.5 m, in a cone of 30 degrees, 3..5 m/s. */
osgParticle::Emitter *make_emitter(osgParticle::ParticleSystem *system, float rate, float life)
{
    osg::ref_ptr<osgParticle::RandomRateCounter> counter = new osgParticle::RandomRateCounter;
    osg::ref_ptr<osgParticle::PointPlacer> placer = new osgParticle::PointPlacer;
    osg::ref_ptr<osgParticle::RadialShooter> shooter = new osgParticle::RadialShooter;
    osg::ref_ptr<osgParticle::ModularEmitter> emitter = new osgParticle::ModularEmitter;
    osgParticle::Particle particle;
    counter->setRateRange(rate, rate);
    placer->setCenter(osg::Vec3(0.0f, 0.0f, 1.5f));
    shooter->setThetaRange(0.0f, 0.5235988f);
    shooter->setPhiRange(0.0f, 6.2831853f);
    shooter->setInitialSpeedRange(3.0f, 5.0f);
    particle.setLifeTime(life);
    particle.setSizeRange(osgParticle::rangef(0.02f, 0.02f));
    particle.setAlphaRange(osgParticle::rangef(1.0f, 1.0f));
    particle.setColorRange(osgParticle::rangev4(osg::Vec4(1, 1, 1, 1), osg::Vec4(1, 1, 1, 1)));
    emitter->setParticleSystem(system);
    emitter->setCounter(counter.get());
    emitter->setPlacer(placer.get());
    emitter->setShooter(shooter.get());
    emitter->setUseDefaultTemplate(false);
    emitter->setParticleTemplate(particle);
    return emitter.release();
}

/* Gravity, drag of 0.1 per second, and the ground: restitution 0.5, friction 0.2. */
osgParticle::Program *make_program(osgParticle::ParticleSystem *system)
{
    osg::ref_ptr<osgParticle::AccelOperator> gravity = new osgParticle::AccelOperator;
    osg::ref_ptr<osgParticle::DampingOperator> drag = new osgParticle::DampingOperator;
    osg::ref_ptr<osgParticle::BounceOperator> ground = new osgParticle::BounceOperator;
    osg::ref_ptr<osgParticle::ModularProgram> program = new osgParticle::ModularProgram;
    gravity->setAcceleration(osg::Vec3(0.0f, 0.0f, -9.81f));
    drag->setDamping(0.9f); /* what is left of a speed after a second of Euler's one step */
    ground->addPlaneDomain(osg::Plane(0.0, 0.0, 1.0, 0.0));
    ground->setResilience(0.5f);
    ground->setFriction(0.2f);
    ground->setCutoff(0.0f);
    program->setParticleSystem(system);
    program->addOperator(gravity.get());
    program->addOperator(drag.get());
    program->addOperator(ground.get());
    return program.release();
}

} // namespace

struct osg_particle {
    osg::ref_ptr<osgParticle::ParticleSystem> system = new osgParticle::ParticleSystem;
    osg::ref_ptr<osg::Group> root = new osg::Group;
    osg::ref_ptr<osg::FrameStamp> stamp = new osg::FrameStamp;
    /* What a viewer's cull traversal is to the parts: they work in it. */
    osg::NodeVisitor visitor{osg::NodeVisitor::CULL_VISITOR,
                             osg::NodeVisitor::TRAVERSE_ALL_CHILDREN};

    explicit osg_particle(uint32_t particles)
    {
        const float rate = static_cast<float>(particles) / mean_life / emitters;
        osg::ref_ptr<osgParticle::ParticleSystemUpdater> updater =
            new osgParticle::ParticleSystemUpdater;
        system->setFreezeOnCull(false); /* nobody draws it */
        system->setEstimatedMaxNumOfParticles(static_cast<int>(particles + particles / 4));
        for (int i = 0; i < emitters; ++i) {
            const float life = 2.0f + 2.0f * (static_cast<float>(i) + 0.5f) / emitters;
            root->addChild(make_emitter(system.get(), rate, life));
        }
        root->addChild(make_program(system.get()));
        updater->addParticleSystem(system.get());
        root->addChild(updater.get());
        visitor.setFrameStamp(stamp.get());
    }
};

/* Past the longest life in long steps, then in the benchmark's own until bounces are its own, too. */
osg_particle *osg_particle_create(uint32_t particles)
try {
    osg_particle *o = new osg_particle(particles);
    for (int i = 0; i < 64; ++i)
        osg_particle_step(o, 1.0f / 15.0f);
    for (int i = 0; i < 20; ++i)
        osg_particle_step(o, 1.0f / 60.0f);
    return o;
} catch (const std::bad_alloc &) {
    return nullptr;
}

void osg_particle_destroy(osg_particle *o)
{
    delete o;
}

void osg_particle_step(osg_particle *o, float dt)
{
    o->stamp->setFrameNumber(o->stamp->getFrameNumber() + 1);
    o->stamp->setSimulationTime(o->stamp->getSimulationTime() + static_cast<double>(dt));
    o->visitor.setTraversalNumber(o->stamp->getFrameNumber());
    o->root->accept(o->visitor);
}

uint32_t osg_particle_alive(const osg_particle *o)
{
    return static_cast<uint32_t>(o->system->numParticles() - o->system->numDeadParticles());
}

osg_particle_work osg_particle_watch(osg_particle *o, float dt)
{
    struct past {
        double age;
        float speed; /* upwards */
        bool alive;
    };
    osg_particle_work work{};
    std::vector<past> before;
    before.reserve(static_cast<size_t>(o->system->numParticles()));
    for (int i = 0; i < o->system->numParticles(); ++i) {
        const osgParticle::Particle &p = *o->system->getParticle(i);
        before.push_back(past{p.getAge(), p.getVelocity().z(), p.isAlive()});
    }
    osg_particle_step(o, dt);
    for (size_t i = 0; i < before.size(); ++i) {
        const past &p = before[i];
        const osgParticle::Particle &now = *o->system->getParticle(static_cast<int>(i));
        const bool reborn = now.isAlive() && (!p.alive || now.getAge() < p.age);
        const bool same = p.alive && now.isAlive() && !reborn;
        work.births += reborn;
        work.deaths += p.alive && !same;
        work.bounces += same && p.speed < 0.0f && now.getVelocity().z() > 0.0f;
        work.below += now.isAlive() && now.getPosition().z() < -0.001f;
    }
    return work;
}
