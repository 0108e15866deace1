/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_LOG_TARGET_H
#define BACKOFF_LOG_TARGET_H

/*
 * The descriptor that --log-file=FILE writes to: "/dev/fd/3", "/dev/stdout"
 * are a copy of that very one. < 0: errno tells why there is none.
 */
int log_target(const char *file);

#endif
