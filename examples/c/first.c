/* A first program: runs a model once on local workers, and prints what comes out.
 *
 *   first MODEL                 the model's inputs are all zeros; prints its outputs
 *   first MODEL PICTURE.ppm     prints the boxes that the model finds in a picture */
#include <shingle/shingle.h>
#include <stdio.h>
#include <stdlib.h>

/* Prints the library's sentence. */
static int failed(const char *what) {
  fprintf(stderr, "first: %s: %s\n", what, shingle_error());
  return 1;
}

static int print_outputs(shingle_request *request) {
  size_t i;
  int32_t d;
  for (i = 0;; ++i) {
    shingle_tensor output = {0};
    output.struct_size = sizeof output;
    if (shingle_output(request, i, &output) != SHINGLE_OK) return i > 0 ? 0 : failed("output");
    printf("%s:", output.name);
    for (d = 0; d < output.rank; ++d) printf(" %lld", (long long)output.dims[d]);
    printf(", begins with %g\n", (double)*(const float *)output.data);
  }
}

static int print_boxes(shingle_request *request) {
  const shingle_box *boxes = NULL;
  size_t count = 0, i;
  if (shingle_boxes(request, &boxes, &count) != SHINGLE_OK) return failed("boxes");
  for (i = 0; i < count; ++i)
    printf("%s %.2f at %.0f,%.0f to %.0f,%.0f\n", boxes[i].class_name, (double)boxes[i].score,
           (double)boxes[i].x0, (double)boxes[i].y0, (double)boxes[i].x1, (double)boxes[i].y1);
  printf("%zu boxes\n", count);
  return 0;
}

/* All inputs as zeros. */
static shingle_request *submit_zeros(shingle_session *session) {
  shingle_tensor inputs[8] = {{0}};
  shingle_request *request = NULL;
  size_t count = 0, i;
  if (shingle_input_count(session, &count) != SHINGLE_OK || count > 8) return NULL;
  for (i = 0; i < count; ++i) {
    inputs[i].struct_size = sizeof(shingle_tensor);
    if (shingle_input(session, i, &inputs[i]) != SHINGLE_OK) return NULL;
    inputs[i].data = calloc(1, inputs[i].size);
  }
  shingle_submit(session, inputs, count, NULL, &request); /* copies them */
  for (i = 0; i < count; ++i) free((void *)inputs[i].data);
  return request;
}

/* A binary PPM file: "P6 WIDTH HEIGHT 255", then RGB. */
static shingle_request *submit_picture(shingle_session *session, const char *path) {
  shingle_picture picture = {0};
  shingle_request *request = NULL;
  unsigned char *pixels = NULL;
  FILE *file = fopen(path, "rb");
  picture.struct_size = sizeof picture;
  if (file == NULL) return NULL;
  if (fscanf(file, "P6 %d %d 255", &picture.width, &picture.height) == 2 && picture.width > 0 &&
      picture.height > 0 && picture.width < 65536 && picture.height < 65536 && fgetc(file) != EOF) {
    picture.format = SHINGLE_RGB;
    picture.size = (size_t)picture.width * (size_t)picture.height * 3;
    pixels = malloc(picture.size);
    picture.data = pixels;
    if (pixels != NULL && fread(pixels, 1, picture.size, file) == picture.size)
      shingle_submit_picture(session, &picture, NULL, &request);
  }
  free(pixels);
  fclose(file);
  return request;
}

static int run(shingle_session *session, const char *picture) {
  int result = 0;
  shingle_request *request =
      picture == NULL ? submit_zeros(session) : submit_picture(session, picture);
  if (request == NULL) return failed("submit");
  if (shingle_wait(request, -1) != SHINGLE_OK)
    result = failed("wait");
  else
    result = picture == NULL ? print_outputs(request) : print_boxes(request);
  shingle_request_free(request);
  return result;
}

int main(int argc, char **argv) {
  shingle_options *options = NULL;
  shingle_session *session = NULL;
  int result = 1;
  if (argc < 2) {
    fprintf(stderr, "usage: first MODEL [PICTURE.ppm]\n");
    return 2;
  }
  shingle_options_new(&options);
  if (shingle_options_set(options, "model", argv[1]) != SHINGLE_OK ||
      shingle_options_set(options, "workers", "2") != SHINGLE_OK ||
      shingle_options_set(options, "pictures", argc > 2 ? "yes" : "no") != SHINGLE_OK)
    failed("options");
  else if (shingle_open(options, &session) != SHINGLE_OK)
    failed("open");
  else
    result = run(session, argc > 2 ? argv[2] : NULL);
  if (session != NULL) shingle_session_free(session);
  shingle_options_free(options);
  return result;
}
