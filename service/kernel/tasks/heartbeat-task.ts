/** Heartbeats: each process stores what platform administrators see of it (docs/decisions/0079). */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Db } from '../db/database.ts';
import { HEARTBEAT_INTERVAL_MS } from '../process-heartbeat.ts';
import { connectionsInUse, connectionWait } from '../telemetry/metrics.ts';
import { VERSION } from '../version.ts';
import { saveHeartbeat } from './processes.store.ts';
import type { ScheduledTask } from './scheduled-tasks.ts';

/** Id of this process, new with each start. */
export const PROCESS_ID = randomUUID();

const RESOLUTION_MS = 20;

/** Seconds for which statements and transactions have waited for a connection, and their number, since the start. */
async function readWaits(): Promise<{ sum: number; count: number }> {
  const { name, values } = await connectionWait.get();
  const find = (part: string): number =>
    values.find(({ metricName }) => metricName === `${name}_${part}`)?.value ?? 0;
  return { sum: find('sum'), count: find('count') };
}

/** Creates the task of this process. `maxConnections` is the size of its pool; `recordsWrites` as in the heartbeat. */
export function createHeartbeatTask(
  db: Db,
  { maxConnections, recordsWrites }: { maxConnections: number; recordsWrites: boolean },
): ScheduledTask {
  const startedAt = new Date(Date.now() - Math.round(process.uptime() * 1_000));
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let waits = { sum: 0, count: 0 };
  return {
    name: 'heartbeat of the process',
    intervalMs: HEARTBEAT_INTERVAL_MS,
    async run() {
      // A sample is the time from one tick to the next, which includes the resolution.
      const loopDelayMs =
        delays.count === 0 ? null : Math.max(0, delays.percentile(99) / 1e6 - RESOLUTION_MS);
      delays.reset();
      const before = waits;
      waits = await readWaits();
      const count = waits.count - before.count;
      const connectionWaitMs = count === 0 ? null : ((waits.sum - before.sum) / count) * 1_000;
      await saveHeartbeat(db, {
        processId: PROCESS_ID,
        host: hostname(),
        pid: process.pid,
        version: VERSION,
        nodeVersion: process.versions.node,
        startedAt,
        loopDelayMs,
        memoryBytes: process.memoryUsage.rss(),
        connectionsInUse: (await connectionsInUse.get()).values[0]?.value ?? 0,
        connectionWaitMs,
        maxConnections,
        recordsWrites,
      });
    },
  };
}
