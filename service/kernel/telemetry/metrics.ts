/**
 * Metrics of the process in the format of Prometheus. Labels have names of operations, states and tasks only: no sites, users,
 * addresses or other data of people (T20), and few enough values to be kept for long.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export const metricsRegistry = new Registry();
const registers = [metricsRegistry];

let isCollecting = false;

/** Measures event loop delay, memory, garbage collection, CPU and open files from now on; only processes that serve metrics do. */
export function collectProcessMetrics(): void {
  if (isCollecting) return;
  isCollecting = true;
  collectDefaultMetrics({ register: metricsRegistry });
}

/** Seconds from the request to the end of its response, by operation of the contract (or route) and status. */
export const requestDuration = new Histogram({
  name: 'steward_http_request_duration_seconds',
  help: 'Duration of requests by operation and status',
  labelNames: ['operation', 'status'] as const,
  buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
  registers,
});

export const connectionWait = new Histogram({
  name: 'steward_db_connection_wait_seconds',
  help: 'Time until a connection of the pool was free',
  buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 1, 5, 30],
  registers,
});

/** Connections by use. Plain numbers: statements count them, and the gauges show them when the metrics are read. */
export const connectionCounts = { inUse: 0, awaited: 0 };

export const connectionsInUse: Gauge = new Gauge({
  name: 'steward_db_connections_in_use',
  help: 'Connections that run statements or transactions',
  registers,
  collect: () => connectionsInUse.set(connectionCounts.inUse),
});

const connectionsAwaited: Gauge = new Gauge({
  name: 'steward_db_connections_awaited',
  help: 'Statements and transactions that wait for a connection',
  registers,
  collect: () => connectionsAwaited.set(connectionCounts.awaited),
});

/** `store`: folder or s3; `outcome`: done or failed. */
export const blobDuration = new Histogram({
  name: 'steward_blob_operation_duration_seconds',
  help: 'Duration of operations on the store of files; of a read, the time until its first byte',
  labelNames: ['store', 'operation', 'outcome'] as const,
  buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
  registers,
});

export const standbyReads = new Counter({
  name: 'steward_standby_reads_total',
  help: 'Reads of requests that a standby answered (served), or why the primary did',
  labelNames: ['outcome'] as const,
  registers,
});

const standbyLagBytes = new Gauge({
  name: 'steward_standby_lag_bytes',
  help: 'Bytes of the log that the standby had not replayed when the metrics were read',
  registers,
});

const standbyLagSeconds = new Gauge({
  name: 'steward_standby_lag_seconds',
  help: 'Age of the state of the standby; with DATABASE_READ_MAX_LAG it is that or more',
  registers,
});

const standbyUp = new Gauge({
  name: 'steward_standby_up',
  help: 'Whether the standby may answer reads; 0 also without one',
  registers,
});

export const cacheReads = new Counter({
  name: 'steward_cache_reads_total',
  help: 'Reads of the in-memory caches by outcome',
  labelNames: ['outcome'] as const,
  registers,
});

const databaseUp = new Gauge({
  name: 'steward_database_up',
  help: 'Whether the database answered when the metrics were read',
  registers,
});

const lockWaits = new Gauge({
  name: 'steward_db_lock_waits',
  help: 'Statements of the service that wait for a lock of PostgreSQL',
  registers,
});

const longestLockWait = new Gauge({
  name: 'steward_db_longest_lock_wait_seconds',
  help: 'Age of the oldest statement that waits for a lock',
  registers,
});

const queueLength = new Gauge({
  name: 'steward_queue_length',
  help: 'Waiting items by queue: jobs, mail, calculations, backups',
  labelNames: ['queue'] as const,
  registers,
});

const queueAge = new Gauge({
  name: 'steward_queue_oldest_seconds',
  help: 'Time for which the oldest item of a queue has been due',
  labelNames: ['queue'] as const,
  registers,
});

const jobs = new Gauge({
  name: 'steward_jobs',
  help: 'Jobs that have not ended, by kind and state',
  labelNames: ['kind', 'state'] as const,
  registers,
});

const outboxLag = new Gauge({
  name: 'steward_outbox_lag_seconds',
  help: 'Age of the oldest event that an enabled destination has not received',
  registers,
});

const failedItems = new Gauge({
  name: 'steward_task_failed_items',
  help: 'Failed items of scheduled tasks, by task and whether they are retried',
  labelNames: ['task', 'state'] as const,
  registers,
});

export const failedTaskRuns = new Counter({
  name: 'steward_task_failed_runs_total',
  help: 'Runs of scheduled tasks that failed as a whole, by task; they are retried',
  labelNames: ['task'] as const,
  registers,
});

const failedBackups = new Gauge({
  name: 'steward_failed_backups',
  help: 'Backups of the last 24 hours that failed, or failed verification',
  registers,
});

/** State of the database when the metrics are read (metrics/metrics.store.ts). */
export interface InstallationMetrics {
  /** The standby of this process; undefined without one. */
  standby?: { isUsable: boolean; lag: { bytes: number; seconds: number } | undefined } | undefined;
  lockWaits: number;
  longestLockWaitSeconds: number;
  queues: readonly {
    queue: 'jobs' | 'mail' | 'calculations' | 'backups';
    length: number;
    oldestSeconds: number;
  }[];
  jobs: readonly { kind: string; state: 'uploading' | 'waiting' | 'running' | 'paused'; count: number }[];
  outboxLagSeconds: number;
  tasks: readonly { task: string; state: 'retrying' | 'parked'; count: number }[];
  failedBackups: number;
}

/** Sets the metrics that are read from the database; undefined: it did not answer. */
function setInstallationMetrics(state: InstallationMetrics | undefined): void {
  databaseUp.set(state ? 1 : 0);
  if (!state) return;
  if (state.standby) {
    standbyUp.set(state.standby.isUsable ? 1 : 0);
    if (state.standby.lag) {
      standbyLagBytes.set(state.standby.lag.bytes);
      standbyLagSeconds.set(state.standby.lag.seconds);
    }
  }
  lockWaits.set(state.lockWaits);
  longestLockWait.set(state.longestLockWaitSeconds);
  for (const { queue, length, oldestSeconds } of state.queues) {
    queueLength.set({ queue }, length);
    queueAge.set({ queue }, oldestSeconds);
  }
  outboxLag.set(state.outboxLagSeconds);
  failedBackups.set(state.failedBackups);
  // Kinds without jobs and tasks without failures disappear.
  jobs.reset();
  failedItems.reset();
  for (const { kind, state: jobState, count } of state.jobs) jobs.set({ kind, state: jobState }, count);
  for (const { task, state: itemState, count } of state.tasks)
    failedItems.set({ task, state: itemState }, count);
}

/** All metrics as text. `load` reads the state of the database; if it fails, the metrics of the process are still there. */
export async function formatMetrics(load: () => Promise<InstallationMetrics>): Promise<string> {
  setInstallationMetrics(await load().catch(() => undefined));
  return metricsRegistry.metrics();
}

/** A metric with its values. `part` of a histogram: the name with `_bucket`, `_sum` or `_count`. */
export interface MetricRecord {
  name: string;
  help: string;
  type: string;
  values: readonly {
    value: number;
    labels: Readonly<Record<string, string | number>>;
    part: string | undefined;
  }[];
}

/** All metrics as records. `load` reads the state of the database, as for `formatMetrics`. */
export async function readMetrics(load: () => Promise<InstallationMetrics>): Promise<MetricRecord[]> {
  setInstallationMetrics(await load().catch(() => undefined));
  const metrics = await metricsRegistry.getMetricsAsJSON();
  return metrics.map(({ name, help, type, values }) => ({
    name,
    help,
    type: String(type),
    values: values.map((each) => ({
      value: each.value,
      labels: removeMissing(each.labels),
      part: 'metricName' in each ? String(each.metricName) : undefined,
    })),
  }));
}

/** Labels that have a value. */
const removeMissing = (
  labels: Readonly<Record<string, string | number | undefined>>,
): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(labels).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
