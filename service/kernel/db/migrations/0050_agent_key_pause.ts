import { type Kysely, sql } from 'kysely';

/** Agent keys and connected clients that are paused (areas/agent). */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table agent_key add column paused_at timestamptz(3), add column paused_by int`.execute(db);
}
