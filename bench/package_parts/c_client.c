/* A client of shingle.h for tools/bench package: prints what a model finds in pictures, one JSON object a line, with all
 * digits of the boxes.
 *
 *   bench-package-c MODEL WORKERS <pictures       binary PPM pictures, one behind the other */
#include <shingle/shingle.h>
#include <stdio.h>
#include <stdlib.h>

enum { UNDER_WAY = 8 };

typedef struct {
  shingle_request *requests[UNDER_WAY];
  size_t first, count;
} Queue;

static int failed(const char *what) {
  fprintf(stderr, "bench-package-c: %s: %s\n", what, shingle_error());
  return 1;
}

/* Waits for the oldest request and prints what it found. */
static int print_next(Queue *queue) {
  shingle_request *request = queue->requests[queue->first];
  const shingle_box *boxes = NULL;
  const char *json = NULL;
  size_t count = 0, i;
  queue->first = (queue->first + 1) % UNDER_WAY;
  --queue->count;
  if (shingle_wait(request, -1) != SHINGLE_OK) return failed("wait");
  if (shingle_boxes(request, &boxes, &count) != SHINGLE_OK) return failed("boxes");
  if (shingle_findings(request, &json) != SHINGLE_OK) return failed("findings");
  printf("{\"boxes\":[");
  for (i = 0; i < count; ++i)
    printf("%s[%.9g,%.9g,%.9g,%.9g,%.9g,%d]", i > 0 ? "," : "", (double)boxes[i].x0, (double)boxes[i].y0,
           (double)boxes[i].x1, (double)boxes[i].y1, (double)boxes[i].score, (int)boxes[i].class_id);
  printf("],\"findings\":%s}\n", json);
  shingle_request_free(request);
  return 0;
}

/* The next picture of stdin; its pixels are to be freed. 0: there is none, -1: it is no picture. */
static int read_picture(shingle_picture *picture, unsigned char **pixels) {
  int got = scanf("P6 %d %d 255", &picture->width, &picture->height);
  if (got == EOF) return 0;
  if (got != 2 || picture->width <= 0 || picture->height <= 0 || picture->width > 65535 || picture->height > 65535 ||
      getchar() == EOF)
    return -1;
  picture->struct_size = sizeof *picture;
  picture->format = SHINGLE_RGB;
  picture->row_bytes = 0;
  picture->size = (size_t)picture->width * (size_t)picture->height * 3;
  *pixels = malloc(picture->size);
  picture->data = *pixels;
  return *pixels != NULL && fread(*pixels, 1, picture->size, stdin) == picture->size ? 1 : -1;
}

static int run(shingle_session *session) {
  Queue queue = {{NULL}, 0, 0};
  shingle_submission patient = {0};
  shingle_picture picture = {0};
  int there;
  patient.struct_size = sizeof patient;
  patient.room_wait_ns = -1;
  for (;;) {
    unsigned char *pixels = NULL;
    size_t place = (queue.first + queue.count) % UNDER_WAY;
    shingle_code code = SHINGLE_OK;
    there = read_picture(&picture, &pixels);
    if (there > 0) code = shingle_submit_picture(session, &picture, &patient, &queue.requests[place]);
    free(pixels);
    if (there <= 0) break;
    if (code != SHINGLE_OK) return failed("submit");
    if (++queue.count == UNDER_WAY && print_next(&queue) != 0) return 1;
  }
  while (queue.count > 0)
    if (print_next(&queue) != 0) return 1;
  if (there < 0) fprintf(stderr, "bench-package-c: stdin has something else than binary PPM pictures\n");
  return there < 0 ? 3 : 0;
}

int main(int argc, char **argv) {
  shingle_options *options = NULL;
  shingle_session *session = NULL;
  int result = 1;
  if (argc != 3) {
    fprintf(stderr, "usage: bench-package-c MODEL WORKERS <pictures\n");
    return 2;
  }
  shingle_options_new(&options);
  if (shingle_options_set(options, "model", argv[1]) != SHINGLE_OK ||
      shingle_options_set(options, "workers", argv[2]) != SHINGLE_OK ||
      shingle_options_set(options, "pictures", "yes") != SHINGLE_OK)
    failed("options");
  else if (shingle_open(options, &session) != SHINGLE_OK)
    failed("open");
  else
    result = run(session);
  if (session != NULL) shingle_session_free(session);
  shingle_options_free(options);
  return result;
}
