import { type Kysely, sql } from 'kysely';

const statements = [
  // Heartbeats of the processes of the service (kernel/tasks/heartbeat-task.ts); those of the whole installation, not of a site.
  `create table service_process (
    process_id uuid primary key,
    host text not null,
    pid int not null,
    version text not null,
    node_version text not null,
    started_at timestamptz(3) not null,
    seen_at timestamptz(3) not null,
    -- 99th percentile since the heartbeat before; null at the first.
    loop_delay_ms float8,
    memory_bytes bigint not null,
    connections_in_use int not null,
    -- Mean since the heartbeat before; null without statements.
    connection_wait_ms float8,
    max_connections int not null
  )`,
];

/** Table of the processes of the service. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
