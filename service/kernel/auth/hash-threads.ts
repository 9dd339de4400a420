/**
 * Sizes the thread pool of the process; main.ts imports this file first, because the size is read when the pool starts. Node and
 * @node-rs/argon2 share the pool: without threads for the hashes, files, DNS and compression would wait for sign-ins.
 */
import { availableParallelism } from 'node:os';

/** Password hashes computed at the same time: one per core. */
export const PARALLEL_HASHES = availableParallelism();

/** Threads that Node starts by default. */
const OTHER_THREADS = 4;

process.env['UV_THREADPOOL_SIZE'] ??= String(OTHER_THREADS + PARALLEL_HASHES);
