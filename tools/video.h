/* video.h - pictures of a run, piped to ffmpeg, which makes a video of them. */
#ifndef RICOCHET_VIDEO_H
#define RICOCHET_VIDEO_H

#include "output.h"
#include "run_options.h"
#include "run_world.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Owner: run_main; all zero = no video. At most one at a time in a process. While there is one,
 * the process ignores SIGPIPE. */
typedef struct video {
    output_file file;       /* the place of the complete video */
    output_draft *draft;    /* the file that ffmpeg writes; NULL = none */
    int frames, messages;   /* ends of pipes: to ffmpeg's input, from its standard error */
    pid_t ffmpeg;           /* 0 = not running */
    char said[200];         /* the last line that ffmpeg printed */
    uint32_t width, height; /* pixels */
    rico_jobs *painters;    /* a pool of their own, so that their work is in no report */
    rio_camera camera;
    bool aimed;
} video;

/* Starts ffmpeg, which waits for pictures. file: from output_probe. On false, error is one line;
 * call video_free either way. */
bool video_open(const run_options *options, const output_file *file, video *out, char *error,
                size_t error_bytes);

/* Paints the world as it is and hands the picture to ffmpeg, if frame number `frame` (0, 1, ...
 * of 1/60 s) has a picture at the video's rate. On false, ffmpeg has stopped or memory ran out. */
bool video_frame(video *v, const run_options *options, const run_world *w, uint32_t frame,
                 char *error, size_t error_bytes);

/* Waits until ffmpeg has finished, and gives the file its name. Does nothing without a video. */
bool video_close(video *v, char *error, size_t error_bytes);

/* Stops ffmpeg and removes its file, unless video_close has finished the video. */
void video_free(video *v);

#endif
