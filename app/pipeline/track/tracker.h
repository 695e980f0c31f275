// Follows one object through the frames of a video by its looks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/pipeline/track/gray_pyramid.h"
#include "app/pipeline/track/sample_grid.h"

namespace weft {

// In pixels of the picture: pixel i covers the range from i to i + 1.
struct TrackBox {
    double left = 0;
    double top = 0;
    double width = 0;
    double height = 0;

    double right() const { return left + width; }
    double bottom() const { return top + height; }
    bool operator==(const TrackBox&) const = default;
};

struct TrackedBox {
    TrackBox box;
    // 0 to 0.999, which files write with three decimals, and 1 for a box that was drawn. From 0.5
    // on the object was found in the box; below, the box is where the object was seen last, or
    // where something like it is, and grows with every frame.
    double confidence = 1;
};

// A Tracker compares pictures by their normalised cross-correlation, in which a soft ellipse inside
// the box counts: the corners of a box are background, to which a tracker would otherwise hold on.
// The object may move, turn, change its size and, slowly, its looks, and be smeared by its motion;
// brightness and contrast do not matter. Parts of the ellipse that change while the object moves
// are background, and soon count less. The box grows with the difference from the first looks,
// because the edges of an object that has turned are not known. The confidence compares the
// correlation with its mean so far, because noise and blur that last lower both. A lost object is
// searched for in a growing part of the picture, at last in all of it.
//
// Frames are those of one film in their order, or in the opposite one. A copy of a Tracker
// continues independently of the original.
class Tracker {
 public:
    // The finest level of the pyramids that a Tracker of such a box needs.
    static int finest_level(const TrackBox& box);

    // The object is what `first` shows in the box, which must overlap the picture.
    Tracker(const GrayPyramid& first, const TrackBox& box);

    // The place of the object in the next frame; nothing if a camera cut is between the two, or
    // if its size is another one: the track has ended. The box is a few per cent larger than the
    // object, and may extend beyond the picture.
    std::optional<TrackedBox> next(const GrayPyramid& frame);

    // From now on, next() takes the frames before the last one, in the opposite order.
    void turn_round();

    // The box of the first frame, with the same margin.
    TrackBox first_box() const { return first_box_; }

 private:
    // Where the object is: its centre, and how it differs from the first frame's.
    struct Pose {
        double x = 0;
        double y = 0;
        double scale = 1;
        double angle = 0;    // in radians, clockwise
        double stretch = 1;  // of the width alone, as of a plate on a car that turns
    };
    struct Match {
        Pose pose;
        double correlation = -1;
    };
    // The best matches near the place where the object is expected, and elsewhere.
    struct Found {
        Match near;
        Match far;
    };
    struct Choice {
        Match match;
        double rival = 0;     // likeness of the best match elsewhere
        bool jumped = false;  // from where the object was expected, or was lost
    };
    // Part of the picture in which the centre is searched for.
    struct Window {
        double left, top, right, bottom;
    };

    SampleGrid grid_of(const GrayPyramid& frame, const Pose& pose) const;
    std::vector<float> sample(const GrayPyramid& frame, const Pose& pose,
                              std::vector<float>* inside) const;
    double correlation(const GrayPyramid& frame, const Pose& pose,
                       const std::vector<float>& pattern) const;
    std::vector<float> smeared(double x, double y) const;
    double likeness(const GrayPyramid& frame, const Match& match) const;
    void climb(const GrayPyramid& frame, const std::vector<float>& looks, Match& match) const;
    void improve(const GrayPyramid& frame, const std::vector<float>& looks, Match& match,
                 const Pose& axis) const;
    Match best_near(const GrayPyramid& frame, const std::vector<float>& looks, const Pose& pose,
                    int reach, double step) const;
    std::vector<Pose> search(const GrayPyramid& frame, const std::vector<float>& looks,
                             const Window& window) const;
    Window window(const GrayPyramid& frame) const;
    Found find(const GrayPyramid& frame, const std::vector<float>& looks) const;
    Choice choose(const GrayPyramid& frame) const;
    void move_to(const Pose& pose);
    void stay();
    TrackedBox coast(const GrayPyramid& frame);
    bool is_after_cut(const GrayPyramid& frame, double confidence);
    void accept(const GrayPyramid& frame, const Match& match, double correlation);
    void learn(const GrayPyramid& frame, const Pose& pose);
    void learn_weights(const std::vector<float>& now);
    void doubt(double first_ratio);
    TrackBox box_of(const Pose& pose) const;
    double size() const;

    int picture_width_;
    int picture_height_;
    double width_;  // the object's, in the first frame
    double height_;
    TrackBox first_box_;
    double spacing_;  // between the template's samples, in pixels of the first frame
    int columns_;
    int rows_;
    std::vector<float> ellipse_;   // weights by the place in the box
    std::vector<float> change_;    // mean square of the samples' changes
    std::vector<float> weights_;   // the ellipse without the samples that change
    std::vector<float> first_;     // looks in the first frame, normalised
    std::vector<float> recent_;    // and recently
    std::vector<float> template_;  // the mean of both
    std::vector<float> latest_;    // looks in the last few frames
    std::vector<float> mixed_;     // the template and the latest looks, for which the object is
                                   // searched: an object that turns leads from one to the next
    Pose pose_;
    double speed_x_ = 0;
    double speed_y_ = 0;
    double mean_ = 0;  // correlation while the object was found
    int frames_found_ = 0;
    bool lost_ = false;    // nothing like the object was near at some time since it was found
    double course_x_ = 0;  // the mean speed in the last frames, in pixels per frame
    double course_y_ = 0;
    int coasting_ = 0;       // frames for which the object is still expected on its course
    int steady_frames_ = 0;  // in which a match kept to that course
    double beside_x_ = 0;    // from the course to the match
    double beside_y_ = 0;
    int frames_away_ = 0;  // since something like the object was near
    double rival_ = 0;     // likeness of the object most alike nearby, as a part of the mean
    double doubt_ = 0;     // added to each side of the box because the looks have changed, as a
                           // part of the size
    double margin_ = 0;    // of a box that is held, in pixels
    GrayImage thumbnail_;  // of the last frame that was not of one colour
};

}  // namespace weft
