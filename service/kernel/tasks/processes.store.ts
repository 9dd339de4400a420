import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { HEARTBEAT_TIMEOUT_SECONDS } from '../process-heartbeat.ts';

/** What a process says about itself with each heartbeat. */
interface Heartbeat {
  processId: string;
  host: string;
  pid: number;
  version: string;
  nodeVersion: string;
  startedAt: Date;
  /** Delay of the event loop since the heartbeat before, 99th percentile; null at the first. */
  loopDelayMs: number | null;
  memoryBytes: number;
  connectionsInUse: number;
  /** Mean time until a connection was free since the heartbeat before; null if none was needed. */
  connectionWaitMs: number | null;
  maxConnections: number;
}

/** What a process says only when it stores its heartbeat. */
interface SavedHeartbeat extends Heartbeat {
  /** Whether the process records the writes of users, without which no standby answers reads. */
  recordsWrites: boolean;
}

interface StoredProcess extends Heartbeat {
  seenAt: Date;
  /** Whether three heartbeats are missing: the process was killed, hangs or does not reach the database. */
  isSilent: boolean;
}

/** Stores a heartbeat and deletes processes without one for an hour. */
export async function saveHeartbeat(db: Db, process: SavedHeartbeat): Promise<void> {
  await sql`
    with gone as (delete from service_process
      where seen_at < now() - interval '1 hour' and process_id <> ${process.processId}::uuid)
    insert into service_process (process_id, host, pid, version, node_version, started_at, seen_at, loop_delay_ms,
      memory_bytes, connections_in_use, connection_wait_ms, max_connections,
      records_writes)
    values (${process.processId}::uuid, ${process.host}, ${process.pid}, ${process.version}, ${process.nodeVersion},
      ${process.startedAt}, now(), ${process.loopDelayMs}, ${process.memoryBytes}, ${process.connectionsInUse},
      ${process.connectionWaitMs}, ${process.maxConnections}, ${process.recordsWrites})
    on conflict (process_id) do update set seen_at = now(), loop_delay_ms = excluded.loop_delay_ms,
      memory_bytes = excluded.memory_bytes, connections_in_use = excluded.connections_in_use,
      connection_wait_ms = excluded.connection_wait_ms`.execute(db);
}

/** Deletes the process, which stops. */
export async function deleteProcess(db: Db, processId: string): Promise<void> {
  await db.deleteFrom('service_process').where('process_id', '=', processId).execute();
}

/** The processes, the latest start first. */
export async function listProcesses(db: Db): Promise<StoredProcess[]> {
  const { rows } = await sql<StoredProcess>`
    select process_id as "processId", host, pid, version, node_version as "nodeVersion", started_at as "startedAt",
      seen_at as "seenAt", seen_at < now() - make_interval(secs => ${HEARTBEAT_TIMEOUT_SECONDS}::int) as "isSilent",
      loop_delay_ms as "loopDelayMs", memory_bytes as "memoryBytes", connections_in_use as "connectionsInUse",
      connection_wait_ms as "connectionWaitMs", max_connections as "maxConnections"
    from service_process order by started_at desc, process_id`.execute(db);
  return rows;
}
