import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables/index.ts';

/**
 * Refuses a database whose data were moved to another one, or into which a move has not finished (cli/move): a service on it would
 * work with old or incomplete data.
 * @throws Error with the reason
 */
export async function refuseMoved(db: Kysely<Tables>): Promise<void> {
  const { rows: found } = await sql<{ exists: boolean }>`
    select to_regclass('moved_database') is not null as exists`.execute(db);
  if (!found[0]?.exists) return;
  const { rows } = await sql<{ reason: string }>`select reason from moved_database`.execute(db);
  throw new Error(`The database cannot be used. ${rows[0]?.reason ?? 'It is being moved'}`);
}
