/* osg - OpenSceneGraph draws particles that step and collide through Ricochet, in osgParticle's place.
 *
 * `fountain` is a drawable like any other: add it to a scene. Its update callback steps the world, and it
 * draws the billboards that an output has written, from where they were written: no copy, no particle
 * touched. The scene's own triangles are what the particles bounce off.
 *   osg               in a window, to look around in
 *   osg --shot [FILE] two seconds, off screen; writes a picture. Fails when the particles have not
 *                     changed the picture, or are below the floor. 77: nowhere to draw, no X server. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <osg/BlendFunc>
#include <osg/Geode>
#include <osg/Point>
#include <osg/ShapeDrawable>
#include <osg/TriangleFunctor>
#include <osgDB/WriteFile>
#include <osgGA/TrackballManipulator>
#include <osgViewer/Viewer>
#include <ricochet/ricochet.h>
#include <vector>

namespace
{

constexpr int width = 640, height = 480;
constexpr float dt = 1.0f / 60.0f, size = 0.03f; /* of a particle, metres */
constexpr uint32_t most = 8192;

/* --- The particles ------------------------------------------------------------------------ */

struct triangles {
    std::vector<float> positions;
    std::vector<uint32_t> indices;

    void operator()(const osg::Vec3 &a, const osg::Vec3 &b, const osg::Vec3 &c)
    {
        for (const osg::Vec3 &v : {a, b, c}) {
            indices.push_back(static_cast<uint32_t>(positions.size() / 3));
            positions.insert(positions.end(), {v.x(), v.y(), v.z()});
        }
    }
};

class fountain : public osg::Drawable
{
  public:
    /* On the triangles of what is drawn beside it. */
    explicit fountain(osg::Geode *solid)
    {
        rico_world_def def = rico_world_def_default();
        def.max_particles = most;
        if (rico_world_create(&def, &world_) != RICO_OK)
            std::exit(EXIT_FAILURE);
        add_triangles(solid);
        spawn();
        rico_output_def output = rico_output_def_default();
        output.capacity = most;
        output.memory[0] = output.memory[1] = memory_;
        if (rico_output_create(world_, &output, &output_) != RICO_OK)
            std::exit(EXIT_FAILURE);
        look_like_sparks(getOrCreateStateSet());
        setUseDisplayList(false);
        setDataVariance(DYNAMIC); /* always drawn before the next update: one memory will do */
        setUpdateCallback(new stepper);
    }

    void step()
    {
        rico_world_step(world_, dt);
        rico_output_write(output_, &effect_, 1, nullptr, &frame_);
        dirtyBound();
    }

    osg::BoundingBox computeBoundingBox() const override
    {
        if (frame_.part_count == 0 || frame_.parts[0].count == 0)
            return osg::BoundingBox();
        const rico_box &b = frame_.parts[0].bounds;
        return osg::BoundingBox(b.lo.x, b.lo.y, b.lo.z, b.hi.x, b.hi.y, b.hi.z);
    }

    void drawImplementation(osg::RenderInfo &info) const override
    {
        osg::State &state = *info.getState();
        const auto *records = static_cast<const rico_billboard *>(frame_.records);
        if (frame_.count == 0)
            return;
        state.unbindVertexBufferObject();
        state.lazyDisablingOfVertexAttributes();
        state.setVertexPointer(3, GL_FLOAT, sizeof *records, records->position);
        state.setColorPointer(4, GL_UNSIGNED_BYTE, sizeof *records, &records->color, GL_TRUE);
        state.applyDisablingOfVertexAttributes();
        glDrawArrays(GL_POINTS, 0, static_cast<GLsizei>(frame_.count));
    }

    uint32_t alive() const
    {
        return rico_effect_particle_count(world_, effect_);
    }

    uint32_t below_floor() const
    {
        uint32_t below = 0;
        rico_view v = rico_effect_view(world_, effect_);
        while (rico_view_next(&v))
            for (uint32_t i = 0; i < v.count; ++i)
                below += v.pz[i] < -0.05f;
        return below;
    }

  protected:
    ~fountain() override
    {
        rico_output_destroy(output_);
        rico_world_destroy(world_);
    }

  private:
    struct stepper : osg::NodeCallback {
        void operator()(osg::Node *node, osg::NodeVisitor *) override
        {
            static_cast<fountain *>(node)->step();
        }
    };

    void add_triangles(osg::Geode *solid)
    {
        osg::TriangleFunctor<triangles> found;
        for (unsigned i = 0; i < solid->getNumDrawables(); ++i)
            solid->getDrawable(i)->accept(found);
        rico_mesh mesh{};
        mesh.positions = found.positions.data();
        mesh.vertex_count = static_cast<uint32_t>(found.positions.size() / 3);
        mesh.indices = found.indices.data();
        mesh.triangle_count = static_cast<uint32_t>(found.indices.size() / 3);
        rico_world_add_mesh(world_, &mesh, RICO_TRANSFORM_IDENTITY);
    }

    void spawn()
    {
        rico_recipe sparks = rico_recipe_default();
        sparks.rate = 1500;
        sparks.max_particles = most;
        sparks.lifetime = rico_range{2, 3};
        sparks.particle_size = rico_curve_constant(size);
        sparks.color = rico_gradient_constant(1.0f, 0.8f, 0.3f, 1.0f);
        sparks.color.key_count = 2;
        sparks.color.at[1] = 1.0f;
        const float last[4] = {0.9f, 0.1f, 0.0f, 0.2f};
        std::memcpy(sparks.color.rgba[1], last, sizeof last);
        rico_transform where = RICO_TRANSFORM_IDENTITY;
        where.position.z = 1.6f;
        effect_ = rico_effect_spawn(world_, rico_world_add_recipe(world_, &sparks), where);
    }

    /* Round points that shrink with the distance, as large as the particles are at 30 degrees. */
    static void look_like_sparks(osg::StateSet *set)
    {
        osg::ref_ptr<osg::Point> point = new osg::Point(size * height / 0.536f);
        point->setDistanceAttenuation(osg::Vec3(0.0f, 0.0f, 1.0f));
        set->setAttributeAndModes(point.get());
        set->setAttributeAndModes(new osg::BlendFunc);
        set->setMode(GL_POINT_SMOOTH, osg::StateAttribute::ON);
        set->setMode(GL_LIGHTING, osg::StateAttribute::OFF);
        set->setRenderingHint(osg::StateSet::TRANSPARENT_BIN);
    }

    rico_world *world_ = nullptr;
    rico_output *output_ = nullptr;
    rico_output_frame frame_{};
    rico_effect_id effect_{};
    alignas(64) rico_billboard memory_[most];
};

/* --- The scene, and the two ways to see it ------------------------------------------------ */

osg::Geode *make_solid()
{
    osg::ref_ptr<osg::Geode> solid = new osg::Geode;
    const auto add = [&](osg::Shape *shape, osg::Vec4 color) {
        osg::ref_ptr<osg::ShapeDrawable> drawable = new osg::ShapeDrawable(shape);
        drawable->setColor(color);
        solid->addDrawable(drawable.get());
    };
    add(new osg::Box(osg::Vec3(0, 0, -0.1f), 14, 14, 0.2f), osg::Vec4(0.5f, 0.6f, 0.7f, 1));
    add(new osg::Sphere(osg::Vec3(0.9f, 0, 0.4f), 0.6f), osg::Vec4(0.3f, 0.5f, 0.7f, 1));
    add(new osg::Box(osg::Vec3(-1, 0.3f, 0.3f), 0.8f, 0.8f, 0.6f),
        osg::Vec4(0.5f, 0.4f, 0.4f, 1));
    return solid.release();
}

osg::GraphicsContext *make_off_screen()
{
    osg::ref_ptr<osg::GraphicsContext::Traits> traits = new osg::GraphicsContext::Traits;
    traits->readDISPLAY();
    traits->width = width;
    traits->height = height;
    traits->pbuffer = true;
    return osg::GraphicsContext::createGraphicsContext(traits.get());
}

struct reader : osg::Camera::DrawCallback {
    osg::ref_ptr<osg::Image> image = new osg::Image;

    void operator()(osg::RenderInfo &) const override
    {
        image->readPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE);
    }
};

unsigned count_differences(const osg::Image &a, const osg::Image &b)
{
    unsigned count = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            count += std::memcmp(a.data(x, y), b.data(x, y), 3) != 0;
    return count;
}

int shoot(osgViewer::Viewer &viewer, const fountain &sparks, const char *file)
{
    osg::ref_ptr<osg::GraphicsContext> context = make_off_screen();
    if (!context || !context->valid()) {
        std::printf("nowhere to draw: no X server, or one without OpenGL\n");
        return 77;
    }
    osg::ref_ptr<reader> pixels = new reader;
    osg::Camera *camera = viewer.getCamera();
    camera->setGraphicsContext(context.get());
    camera->setViewport(0, 0, width, height);
    camera->setProjectionMatrixAsPerspective(30.0, 1.0 * width / height, 0.1, 100.0);
    camera->setViewMatrixAsLookAt(osg::Vec3(3, -8, 6), osg::Vec3(0, 0, 0.8f), osg::Z_AXIS);
    camera->setFinalDrawCallback(pixels.get());
    viewer.setThreadingModel(osgViewer::Viewer::SingleThreaded);
    viewer.realize();
    viewer.frame();
    osg::ref_ptr<osg::Image> first = new osg::Image(*pixels->image, osg::CopyOp::DEEP_COPY_ALL);
    for (int frame = 0; frame < 120; ++frame)
        viewer.frame();
    const unsigned changed = count_differences(*first, *pixels->image);
    std::printf("%u sparks, %u below the floor, %u pixels of them\n", sparks.alive(),
                sparks.below_floor(), changed);
    if (file && !osgDB::writeImageFile(*pixels->image, file))
        return EXIT_FAILURE;
    return sparks.alive() > 2000 && sparks.below_floor() == 0 && changed > 2000 ? EXIT_SUCCESS
                                                                                : EXIT_FAILURE;
}

} // namespace

int main(int argc, char **argv)
{
    osg::ref_ptr<osg::Geode> solid = make_solid();
    osg::ref_ptr<fountain> sparks = new fountain(solid.get());
    osg::ref_ptr<osg::Group> root = new osg::Group;
    osgViewer::Viewer viewer;
    root->addChild(solid.get());
    root->addChild(sparks.get());
    viewer.setSceneData(root.get());
    if (argc > 1 && std::strcmp(argv[1], "--shot") == 0)
        return shoot(viewer, *sparks, argc > 2 ? argv[2] : nullptr);
    viewer.setUpViewInWindow(50, 50, width, height);
    viewer.setCameraManipulator(new osgGA::TrackballManipulator);
    return viewer.run();
}
