// Camera motion: states that are moved, compared with points that are moved one by one.
#include "apps/drone/track/camera_motion.hpp"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>

using namespace shingle::drone;

namespace {

Homography turned_and_scaled(double angle, double scale, double x, double y) {
  Homography motion = Homography::Identity();
  motion << scale * std::cos(angle), -scale * std::sin(angle), x, scale * std::sin(angle),
      scale * std::cos(angle), y, 0.0, 0.0, 1.0;
  return motion;
}

Eigen::Vector2d point_after(const Homography& motion, double x, double y) {
  const Eigen::Vector3d point = motion * Eigen::Vector3d(x, y, 1.0);
  return point.head<2>() / point.z();
}

BoxState state_with_velocity(double vx, double vy) {
  BoxState state = first_state({100.0, 200.0, 40.0, 20.0});
  state.mean(4) = vx, state.mean(5) = vy;
  return state;
}

}  // namespace

TEST_CASE("a state goes where its points go") {
  Homography motion = turned_and_scaled(0.3, 1.2, 15.0, -8.0);
  motion(2, 0) = 1e-5, motion(2, 1) = -2e-5;  // a camera that tilts
  BoxState state = state_with_velocity(3.0, -2.0);
  const Eigen::Vector2d here(state.mean(0), state.mean(1));
  move(state, motion);
  const Eigen::Vector2d centre = point_after(motion, here.x(), here.y());
  CHECK(state.mean(0) == doctest::Approx(centre.x()));
  CHECK(state.mean(1) == doctest::Approx(centre.y()));
  // A thousandth of a frame's way, since the motion bends long ways.
  const Eigen::Vector2d ahead = point_after(motion, here.x() + 0.003, here.y() - 0.002);
  CHECK(state.mean(4) == doctest::Approx((ahead - centre).x() * 1e3).epsilon(1e-3));
  CHECK(state.mean(5) == doctest::Approx((ahead - centre).y() * 1e3).epsilon(1e-3));
  CHECK(state.mean(2) == doctest::Approx(2.0));
}

TEST_CASE("uncertainty scales with the picture") {
  BoxState state = state_with_velocity(0.0, 0.0);
  const double before = state.covariance(0, 0), height = state.covariance(3, 3);
  move(state, turned_and_scaled(0.7, 3.0, 0.0, 0.0));
  CHECK(state.covariance(0, 0) == doctest::Approx(9.0 * before));
  CHECK(state.covariance(3, 3) == doctest::Approx(9.0 * height));
  CHECK(state.mean(3) == doctest::Approx(60.0));
}

TEST_CASE("a motion there and back changes nothing") {
  const Homography motion = turned_and_scaled(-0.2, 0.8, 30.0, 12.0);
  BoxState state = state_with_velocity(1.0, 2.0);
  const BoxState before = state;
  move(state, motion);
  move(state, motion.inverse());
  CHECK((state.mean - before.mean).norm() < 1e-9);
  CHECK((state.covariance - before.covariance).norm() < 1e-6);
}

TEST_CASE("motions that send a box to infinity or mirror it are not used") {
  const PixelBox box{100.0, 200.0, 40.0, 20.0};
  Homography horizon = Homography::Identity();
  horizon(2, 0) = -1.0 / 120.0;  // the line x = 120 goes to infinity
  Homography mirror = Homography::Identity();
  mirror(0, 0) = -1.0;
  Homography broken = Homography::Identity();
  broken(0, 2) = std::nan("");
  CHECK(can_move(Homography::Identity(), box));
  CHECK_FALSE(can_move(horizon, box));
  CHECK_FALSE(can_move(mirror, box));
  CHECK_FALSE(can_move(broken, box));
}
