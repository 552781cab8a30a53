// What a scene is built from besides roads: buildings, trees, car parks, lamps and clutter, each
// drawn from dice.
#pragma once

#include "apps/scene/scene.hpp"

namespace shingle {

Outline rectangle(const Pose& pose, double length, double width);

SceneLook draw_look(SceneDice& dice, bool still);
Building draw_building(SceneDice& dice, const Pose& pose, double length, double width);
Tree draw_tree(SceneDice& dice, cv::Point2d at, double radius);
Road draw_road(SceneDice& dice, Outline axis);

// Trees and lamps in a row beside the road, `beyond` metres behind the kerb.
void plant_avenue(Scene& scene, const Road& road, bool right, double beyond, double spacing,
                  SceneDice& dice);
void plant_tree_where_free(Scene& scene, cv::Point2d at, double radius, SceneDice& dice);
void put_lamps(Scene& scene, const Road& road, SceneDice& dice);

// Small things that are no vehicles but could be taken for some: containers, benches, manholes,
// repaired asphalt, tyre marks.
void scatter_clutter(Scene& scene, int count, SceneDice& dice);

// Lawns, plazas and dirt of random outline.
void scatter_patches(Scene& scene, int count, SceneDice& dice);

}  // namespace shingle
