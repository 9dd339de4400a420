/** Interval at which each process stores a heartbeat. */
export const HEARTBEAT_INTERVAL_MS = 30_000;

/** Time without heartbeat after which a process counts as ended: it was killed, hangs or does not reach the database. */
export const HEARTBEAT_TIMEOUT_SECONDS = (3 * HEARTBEAT_INTERVAL_MS) / 1_000;
