/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_SYSTEM_SYSTEM_H
#define BACKOFF_SYSTEM_SYSTEM_H
/*
 * All that is asked of the system.
 */

#include "system/boot.h"
#include "system/byte_lock.h"
#include "system/clock.h"
#include "system/copy.h"
#include "system/descriptors.h"
#include "system/devices.h"
#include "system/entropy.h"
#include "system/fd.h"
#include "system/file_news.h"
#include "system/handles.h"
#include "system/messages.h"
#include "system/new_process.h"
#include "system/parent.h"
#include "system/pause.h"
#include "system/peek.h"
#include "system/processes.h"
#include "system/signal_queue.h"
#include "system/system.h"
#include "system/unnamed_file.h"

#endif
