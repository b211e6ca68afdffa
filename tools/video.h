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

/* Owner: run_main; zeroed is none. One at a time in a process, which ignores SIGPIPE while there is one. */
typedef struct video {
    output_file file;       /* where it goes when it is complete */
    output_draft *draft;    /* that ffmpeg writes; NULL = none */
    int frames, messages;   /* ends of pipes: to ffmpeg's input, from its errors */
    pid_t ffmpeg;           /* 0 = not running */
    char said[200];         /* the last line of what ffmpeg said */
    uint32_t width, height; /* pixels */
    rico_jobs *painters;    /* not the world's: their work is in no report */
    rio_camera camera;
    bool aimed;
} video;

/* Starts ffmpeg, which waits for pictures. file: as output_probe gave it. On false, error is one
 * line; call video_free either way. */
bool video_open(const run_options *options, const output_file *file, video *out, char *error,
                size_t error_bytes);

/* Paints the world as it is and hands it on, if this frame (0, 1, ... of 1/60 s) has a picture at the
 * video's rate. On false, ffmpeg has stopped, or there is no memory. */
bool video_frame(video *v, const run_options *options, const run_world *w, uint32_t frame,
                 char *error, size_t error_bytes);

/* Waits until ffmpeg is done, and gives the file its name. Does nothing without a video. */
bool video_close(video *v, char *error, size_t error_bytes);

/* Stops ffmpeg and removes what it wrote, unless video_close has been there. */
void video_free(video *v);

#endif
