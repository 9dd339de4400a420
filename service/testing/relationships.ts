/** Sites and requests of Relationship Intelligence for tests. */
import { sql } from 'kysely';
import type { Email, ImportResult } from '../../contract/generated/types.gen.ts';
import type { Db } from '../kernel/db/database.ts';
import type { ApiClient, Reply } from './calls.ts';

export const RI_PATH = '/api/rest/v4/ri';

/** Meets all preconditions of a site and enables the users. */
export async function enableRelationships(
  db: Db,
  siteId: number,
  userIds: readonly number[],
  more: Record<string, string | number | boolean> = {},
): Promise<void> {
  await sql`insert into ri_setting (site_id, connection_type, is_enabled, email_relationships, meeting_relationships,
      collect_relationship_data) values (${siteId}, 'API Endpoint', true, true, true, true)`.execute(db);
  for (const [name, value] of Object.entries(more))
    await sql`update ri_setting set ${sql.ref(name)} = ${value} where site_id = ${siteId}`.execute(db);
  await sql`insert into ri_user (site_id, user_id, is_enabled)
    select ${siteId}, user_id, true from unnest(${[...userIds]}::int[]) as user_id`.execute(db);
}

const MINUTE_MS = 60_000;

/** E-mails of the last minutes from a user to an outside address. */
export const makeEmails = (count: number, more: Partial<Email> = {}, prefix = 'mail'): Email[] => {
  const start = Date.now() - count * 10 - MINUTE_MS;
  return Array.from({ length: count }, (_, index) => ({
    uniqueId: `${prefix}-${index}`,
    sentDate: new Date(start + index * 10).toISOString(),
    modifiedDate: new Date(start + index * 10).toISOString(),
    sender: { address: 'ann@inside.test', name: 'Ann' },
    recipientsTo: [{ address: `person${index % 7}@outside.test`, name: `Person ${index % 7}` }],
    ...more,
  }));
};

/** The number of requests and the running import of a site are forgotten, so that a test may send more than five. */
export const resetGate = async (db: Db, siteId: number): Promise<void> => {
  await sql`delete from ri_gate where site_id = ${siteId}`.execute(db);
};

export const importEmails = (
  api: ApiClient,
  items: readonly { userId: number; emails: readonly Email[]; handlerType?: number }[],
  query = '',
): Promise<Reply<ImportResult[]>> =>
  api.post(
    `${RI_PATH}/import/emails${query}`,
    items.map((item) => ({ handlerType: 1, ...item })),
  );

/** The counts of a result: received, added, alreadyProcessed, skipped. */
export const getCounts = ({ operationStats: stats }: ImportResult): number[] => [
  stats.received,
  stats.added,
  stats.alreadyProcessed,
  stats.skipped,
];
