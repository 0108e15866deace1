/* SPDX-License-Identifier: MIT */
#ifndef BACKOFF_CORE_CRC32_H
#define BACKOFF_CORE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of IEEE 802.3, as zlib's crc32(0, bytes, size). */
uint32_t crc32(const void *bytes, size_t size);

#endif
