/* Prints the boxes that a detector finds in a stream, one a line:
 *
 *   FRAME CLASS SCORE LEFT TOP RIGHT BOTTOM
 *
 *   boxes MODEL SOURCE
 *   boxes vehicles.onnx "filesrc location=street.mp4 ! decodebin"
 *   boxes vehicles.onnx v4l2src
 *
 * The element shingleinfer puts them on buffers; a reader needs no header of shingle:
 *   cc boxes.c -o boxes $(pkg-config --cflags --libs gstreamer-app-1.0 gstreamer-video-1.0) */
#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <gst/video/video.h>
#include <stdio.h>

static void print_box(int frame, const GstVideoRegionOfInterestMeta *region, int width, int height) {
  double x_min = 0, x_max = 0, y_min = 0, y_max = 0, score = 0;
  GstStructure *found = gst_video_region_of_interest_meta_get_param(
      (GstVideoRegionOfInterestMeta *)region, "detection");
  if (found == NULL) return; /* a region of another element */
  gst_structure_get(found, "x_min", G_TYPE_DOUBLE, &x_min, "x_max", G_TYPE_DOUBLE, &x_max, "y_min",
                    G_TYPE_DOUBLE, &y_min, "y_max", G_TYPE_DOUBLE, &y_max, "confidence",
                    G_TYPE_DOUBLE, &score, NULL);
  printf("%d %s %.2f %.1f %.1f %.1f %.1f\n", frame, g_quark_to_string(region->roi_type), score,
         x_min * width, y_min * height, x_max * width, y_max * height);
}

static void print_boxes(int frame, GstSample *sample) {
  GstBuffer *buffer = gst_sample_get_buffer(sample);
  GstVideoInfo info;
  gpointer state = NULL;
  GstMeta *meta;
  if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample))) return;
  while ((meta = gst_buffer_iterate_meta_filtered(buffer, &state,
                                                  GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)))
    print_box(frame, (GstVideoRegionOfInterestMeta *)meta, info.width, info.height);
}

/* 1 if the bus has an error, which it prints. */
static int failed(GstElement *pipeline) {
  GstBus *bus = gst_element_get_bus(pipeline);
  GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
  GError *error = NULL;
  gst_object_unref(bus);
  if (message == NULL) return 0;
  gst_message_parse_error(message, &error, NULL);
  fprintf(stderr, "boxes: %s: %s\n", GST_OBJECT_NAME(GST_MESSAGE_SRC(message)), error->message);
  g_error_free(error);
  gst_message_unref(message);
  return 1;
}

static int run(GstElement *pipeline) {
  GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "out");
  GstSample *sample;
  int frame, result = 0;
  if (gst_element_set_state(pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE)
    for (frame = 0; (sample = gst_app_sink_pull_sample(GST_APP_SINK(sink))) != NULL; ++frame) {
      print_boxes(frame, sample);
      gst_sample_unref(sample);
    }
  result = failed(pipeline); /* the stream has ended, well or not */
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(sink);
  return result;
}

int main(int argc, char **argv) {
  GError *error = NULL;
  GstElement *pipeline, *infer;
  char *description;
  int result;
  gst_init(&argc, &argv);
  if (argc != 3) {
    fprintf(stderr, "usage: boxes MODEL SOURCE\n");
    return 2;
  }
  description = g_strdup_printf(
      "%s ! videoconvert ! shingleinfer name=infer attach=boxes ! appsink name=out sync=false",
      argv[2]);
  pipeline = gst_parse_launch_full(description, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  g_free(description);
  if (pipeline == NULL) {
    fprintf(stderr, "boxes: %s\n", error->message);
    g_error_free(error);
    return 2;
  }
  infer = gst_bin_get_by_name(GST_BIN(pipeline), "infer");
  g_object_set(infer, "model", argv[1], NULL);
  gst_object_unref(infer);
  result = run(pipeline);
  gst_object_unref(pipeline);
  return result;
}
