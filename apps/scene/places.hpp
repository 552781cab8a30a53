// What a scene is built from besides roads: buildings, trees, car parks, lamps and clutter, each
// drawn from dice.
#pragma once

#include "apps/scene/scene.hpp"

namespace shingle {

Outline rectangle(const Pose& pose, double length, double width);

SceneLook draw_look(Dice& dice, bool still);
Building draw_building(Dice& dice, const Pose& pose, double length, double width);
Tree draw_tree(Dice& dice, cv::Point2d at, double radius);
Road draw_road(Dice& dice, Outline axis);

// Trees and lamps in a row beside the road, `beyond` metres behind the kerb.
void plant_avenue(Scene& scene, const Road& road, bool right, double beyond, double spacing,
                  Dice& dice);
void plant_tree_where_free(Scene& scene, cv::Point2d at, double radius, Dice& dice);
void put_lamps(Scene& scene, const Road& road, Dice& dice);

// Small things that are no vehicles but could be taken for some: containers, benches, manholes,
// repaired asphalt, tyre marks.
void scatter_clutter(Scene& scene, int count, Dice& dice);

// Lawns, plazas and dirt of random outline.
void scatter_patches(Scene& scene, int count, Dice& dice);

}  // namespace shingle
