/* shingle.h: runs convolutional networks on a cluster of small machines, from any program.
 *
 *   shingle_options_new() -> set() ... -> shingle_open() -> session
 *   shingle_submit(session, inputs)    -> request -> shingle_wait() or a callback
 *   shingle_output(), shingle_boxes(), shingle_findings() -> what a request gave
 *
 * Errors.  Every function returns a code: SHINGLE_OK, or what went wrong. shingle_error() then has one
 * sentence about it, for the thread that called. No argument ends the process: a null pointer, a handle
 * that was freed, a closed session, a wrong type, shape or stride each give a code and a sentence.
 * Functions that return text or a count instead of a code say so.
 *
 * Handles.  Options, sessions and requests are handles, not addresses: a handle that was freed is refused,
 * and no later one equals it. Each is freed once by its own function.
 *
 * Threads.  Every function may be called on any thread, at any time, also from several threads with the same
 * handle. A session has threads of its own, on which all signals are blocked. Callbacks run on one of them,
 * one at a time for each session.
 *
 * Processes.  Handles do not survive fork(): in the child every function that takes one of the parent's returns
 * SHINGLE_FORKED, and what the parent has goes on. exec() in the child is fine. Whoever forks a child
 * that is to compute opens a session there.
 *
 * What the library never does.  It sets no signal handler and no option of malloc, changes neither the
 * affinity nor the signal mask of a caller's thread, prints nothing and logs nothing: what it has
 * to note goes to the function of shingle_options_set_log(), if there is one.
 *
 * Versions.  Structs begin with their size, which callers set to sizeof; later versions add fields at the end
 * only. Options are names with text values; later versions add names. Names that begin with shingle_ or
 * SHINGLE_ belong to the library.
 */
#ifndef SHINGLE_SHINGLE_H
#define SHINGLE_SHINGLE_H

#include <stddef.h>
#include <stdint.h>

#define SHINGLE_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* --- codes --- */

typedef int32_t shingle_code;
enum {
  SHINGLE_OK = 0,
  SHINGLE_RUNTIME = 1,    /* the cluster or this machine: nobody could have known in advance */
  SHINGLE_USAGE = 2,      /* a wrong argument: null, freed, a wrong type or shape, an unknown option */
  SHINGLE_BAD_INPUT = 3,  /* a file: a model, a cluster file, a list of names */
  SHINGLE_LATE = 4,       /* the request missed its deadline */
  SHINGLE_CANCELLED = 5,  /* the request was cancelled */
  SHINGLE_BUSY = 6,       /* as many requests wait as the session takes: submit it again later */
  SHINGLE_CLOSED = 7,     /* the session is closed, or was closed before the request ended */
  SHINGLE_FORKED = 8,     /* the handle belongs to the process that forked this one */
  SHINGLE_TIMEOUT = 9,    /* shingle_wait(): the request is still under way */
  SHINGLE_NO_MEMORY = 10  /* this process has no memory left for it */
};

/* The sentence of the last call on this thread that returned another code than SHINGLE_OK; "" before the first.
 * It ends without a newline, and is valid until another call on this thread fails. */
SHINGLE_API const char *shingle_error(void);

/* The version of the library, such as "0.1.0". */
SHINGLE_API const char *shingle_version(void);

/* Frees a text that shingle_plan() gave. Null is fine. */
SHINGLE_API void shingle_text_free(char *text);

/* --- options --- */

typedef struct shingle_options shingle_options;

SHINGLE_API shingle_code shingle_options_new(shingle_options **options);
SHINGLE_API shingle_code shingle_options_free(shingle_options *options);

/* Sets an option by its name; what it was set to before does not count any more. Names and values are those of
 * `shingle run`, without the dashes. Flags take "yes" or "no".
 *
 *   model               file: ONNX, a compiled file, or a Darknet .cfg            (needed, or set_model())
 *   weights             file: of a .cfg                                           (the one beside it)
 *   shape, opset        how to read an ONNX file: "1x3x480x640", "11"             (as the file says)
 *   cluster, id         cluster file, and which of its nodes this process is      (local workers)
 *   broker, broker-user, broker-password, broker-ca, cluster-name, listen
 *                       nodes that find each other at an MQTT broker; needs id
 *   keys, insecure      folder of keys, or none                                   ($SHINGLE_KEYS, as nodes)
 *   workers, threads    local workers without cluster and broker; threads of each (4, 1)
 *   node-program        the program of local workers                ($SHINGLE_NODE, or what is installed)
 *   packed              folder of packed weights, for local workers               (none)
 *   memory              cap of each node, such as "48MiB"                         (the cluster file's)
 *   patience            seconds of silence after which a node counts as lost      (0.4 to 1.5)
 *   start-patience      seconds until all nodes are there with the plan           (30)
 *   plan, keep-plan     file of a plan; flag: never plan anew                     (it is searched for)
 *   goal                latency, throughput, energy or memory                     (latency)
 *   open                frames under way at once                                  (4)
 *   queue               requests that may wait for that                           (64)
 *   deadline            seconds that each request may take                        (none)
 *   audit               share of the tiles that are computed twice, as "2%"       (none)
 *   pictures            flag: the model takes pictures, and its outputs are read  (no: tensors)
 *   head, names, fit, colour, mean, std, anchors, dictionary, score, nms
 *                       how pictures and outputs are read                         (as the model says)
 *
 * SHINGLE_USAGE: there is no such option, or its value is none. Files are looked at by shingle_open(). */
SHINGLE_API shingle_code shingle_options_set(shingle_options *options, const char *name, const char *value);

/* The model as bytes of an ONNX file or of a compiled file; they are copied. Local workers get them. Nodes of a
 * cluster need a file with the same bytes. Takes the place of the option "model", and the other way round. */
SHINGLE_API shingle_code shingle_options_set_model(shingle_options *options, const void *bytes, size_t size);

enum { SHINGLE_INFO = 0, SHINGLE_WARNING = 1 };
/* `sentence` is valid during the call. It may be called on any thread of the session, or of another one on the same
 * node of a cluster, by several at once; it should return soon, as these wait for it. It may call all functions of
 * the library, but not wait for requests or room, and not open, close or free a session. */
typedef void (*shingle_log_function)(int32_t level, const char *sentence, void *user);
/* Null: no notes. */
SHINGLE_API shingle_code shingle_options_set_log(shingle_options *options, shingle_log_function log, void *user);

/* --- sessions --- */

typedef struct shingle_session shingle_session;

/* Reads the model, joins the cluster or starts local workers, plans, and returns when all nodes are ready. The
 * options are copied. Local workers end with the session or with this process, whichever comes first, and do
 * not depend on the thread that opened it. On failure *session is null.
 *
 * Sessions on the same node of the same cluster share its place there: they have the same values of keys, insecure,
 * listen, broker-*, memory, patience and audit, and together at most 64 frames under way. */
SHINGLE_API shingle_code shingle_open(const shingle_options *options, shingle_session **session);

/* Ends what is under way as SHINGLE_CLOSED, with its callbacks, and leaves the cluster. The handle stays and is
 * refused as closed. Closing twice is fine. SHINGLE_USAGE: in a callback of this session, or a log function. */
SHINGLE_API shingle_code shingle_close(shingle_session *session);

/* Closes the session, if that is still to be done, and frees the handle. Its requests stay what they are: each
 * still has to be freed. */
SHINGLE_API shingle_code shingle_session_free(shingle_session *session);

/* --- tensors --- */

enum { SHINGLE_F32 = 1, SHINGLE_U8 = 2 };
#define SHINGLE_MAX_RANK 8

typedef struct shingle_tensor {
  size_t struct_size; /* sizeof(shingle_tensor) */
  const char *name;   /* of an input: which one; null: that of the same place in the array */
  int32_t type;       /* SHINGLE_F32 or SHINGLE_U8, in this machine's order of bytes */
  int32_t rank;       /* 0 to SHINGLE_MAX_RANK */
  int64_t dims[SHINGLE_MAX_RANK];
  /* Bytes from one element to the next, by dimension. All 0: densely packed, the last dimension first. Not
   * negative. */
  int64_t strides[SHINGLE_MAX_RANK];
  const void *data;
  size_t size; /* bytes that may be read at `data` */
} shingle_tensor;

/* What the model takes: name, type and dims of input `index`, as 1 x channels x height x width. `data` is null,
 * and `size` that of the densely packed tensor. An input may be given with fewer or more dimensions of 1. The
 * names are valid until the session is freed. */
SHINGLE_API shingle_code shingle_input_count(shingle_session *session, size_t *count);
SHINGLE_API shingle_code shingle_input(shingle_session *session, size_t index, shingle_tensor *input);

/* The same of what it gives, with the dims of the model's file. Where a size depends on the frame, it is the
 * largest. */
SHINGLE_API shingle_code shingle_output_count(shingle_session *session, size_t *count);
SHINGLE_API shingle_code shingle_output_info(shingle_session *session, size_t index, shingle_tensor *output);

/* --- requests --- */

typedef struct shingle_request shingle_request;

/* Called once, when the request has ended with this code, before shingle_wait() returns for it. It may call all
 * functions of the library, but not wait for requests of the same session, close or free that session. Callbacks of
 * two sessions that wait for each other's requests wait for ever. It should return soon: the next callback waits for it. If it throws, that is noted and counted, and has no effect. */
typedef void (*shingle_done_function)(shingle_request *request, shingle_code code, void *user);

typedef struct shingle_submission {
  size_t struct_size;      /* sizeof(shingle_submission) */
  int64_t deadline_ns;     /* from now on, at most half an hour; 0: that of the session. It then ends as SHINGLE_LATE */
  int64_t room_wait_ns;    /* how long to wait for room in the queue; 0: not at all; below 0: for ever */
  shingle_done_function done; /* may be null */
  void *user;
} shingle_submission;

/* One frame: the model's inputs, each once. They are copied. `submission` may be null: no callback, the session's
 * deadline, no wait for room. Requests of one session are computed in the order of their submission. A request
 * must be freed, also in its callback or before it has ended.
 * SHINGLE_USAGE: what is wrong with which input. SHINGLE_BUSY: no room. On failure *request is null. */
SHINGLE_API shingle_code shingle_submit(shingle_session *session, const shingle_tensor *inputs, size_t count,
                                        const shingle_submission *submission, shingle_request **request);

enum { SHINGLE_BGR = 1, SHINGLE_RGB = 2, SHINGLE_GREY = 3 }; /* 8 bits for each channel */

typedef struct shingle_picture {
  size_t struct_size; /* sizeof(shingle_picture) */
  int32_t format;     /* SHINGLE_BGR, SHINGLE_RGB or SHINGLE_GREY */
  int32_t width, height;
  int64_t row_bytes; /* from one row to the next; 0: densely packed */
  const void *data;
  size_t size; /* bytes that may be read at `data` */
} shingle_picture;

/* One frame: a picture of any size, fitted to the model's input as the model wants it. Only in a session that was
 * opened with the option "pictures". */
SHINGLE_API shingle_code shingle_submit_picture(shingle_session *session, const shingle_picture *picture,
                                                const shingle_submission *submission,
                                                shingle_request **request);

/* The code with which the request ended, once its callback has returned; waits for that at most so long (0: looks
 * only; below 0: for ever). In callbacks of its session and in log functions it does not wait for the callback.
 * SHINGLE_TIMEOUT: it is under way. SHINGLE_USAGE: there, it would wait for ever. */
SHINGLE_API shingle_code shingle_wait(shingle_request *request, int64_t timeout_ns);

/* The request ends at once as SHINGLE_CANCELLED, if it has not ended. If it was waiting, nobody computes it. If it
 * was under way, nodes finish it and its result is thrown away. */
SHINGLE_API shingle_code shingle_cancel(shingle_request *request);

/* Frees the handle with all that it gave. The frame is computed nevertheless, and its callback is called. In the
 * callback the handle is valid until it is freed there. */
SHINGLE_API shingle_code shingle_request_free(shingle_request *request);

/* --- what a request gave: after it ended as SHINGLE_OK; otherwise its own code --- */

/* Output `index`: f32, densely packed in the order of the model's file. Where a size depends on the frame, dims
 * have that of this frame. Name and data are valid until the request is freed. */
SHINGLE_API shingle_code shingle_output(shingle_request *request, size_t index, shingle_tensor *output);

/* How long it took, from its submission to its end. */
SHINGLE_API shingle_code shingle_duration(shingle_request *request, int64_t *nanoseconds);

/* What the model found in a picture, as `shingle run --json` prints it: one JSON object without a newline. Its
 * "frame" is the number of the request in the session, from 0 on. Valid until the request is freed. */
SHINGLE_API shingle_code shingle_findings(shingle_request *request, const char **json);

typedef struct shingle_box {
  float x0, y0, x1, y1;   /* in the picture's pixels: top left and bottom right corner */
  float score;            /* 0 to 1 */
  int32_t class_id;
  const char *class_name; /* valid until the request is freed */
} shingle_box;

/* The boxes found in a picture, best first; of turned boxes, boxes around them. *boxes is valid until the request
 * is freed. SHINGLE_USAGE: the model finds no boxes. */
SHINGLE_API shingle_code shingle_boxes(shingle_request *request, const shingle_box **boxes, size_t *count);

/* --- what a session did --- */

typedef struct shingle_counters {
  size_t struct_size; /* sizeof(shingle_counters) */
  uint64_t submitted; /* requests; each is in one of the next six */
  uint64_t computed, late, cancelled, failed;
  uint64_t waiting, under_way;
  uint64_t tiles;            /* that nodes computed; of these: */
  uint64_t borrowed_tiles;   /* by another node than the plan says */
  uint64_t wire_bytes;       /* of inputs, strips and outputs, as planned, and of borrowed tiles */
  uint64_t plan_changes;     /* since nodes became faster or slower */
  uint64_t callback_errors;  /* callbacks that threw */
  uint64_t nodes;            /* that computed or are to compute */
} shingle_counters;

SHINGLE_API shingle_code shingle_session_counters(shingle_session *session, shingle_counters *counters);

/* The plan that is in use, in the form of `shingle plan --out`: the option "plan" reads it from a file. *text is
 * to be freed by shingle_text_free(). */
SHINGLE_API shingle_code shingle_plan(shingle_session *session, char **text);

#ifdef __cplusplus
}
#endif

#endif
