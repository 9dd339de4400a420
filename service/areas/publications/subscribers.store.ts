import { sql } from 'kysely';
import type { SubscriberTopic } from '../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** Whether the site has this API key and it is not turned off. */
export async function hasKey(db: Db, siteId: number, clientId: number): Promise<boolean> {
  const { rows } = await sql`
    select from api_key where site_id = ${siteId} and client_id = ${clientId} and disabled_at is null`.execute(
    db,
  );
  return rows.length > 0;
}

/** Topics to which a key is limited; null without limits. `lock` locks them until the transaction ends. */
export async function getLimits(
  db: Db,
  siteId: number,
  clientId: number,
  { lock = false } = {},
): Promise<SubscriberTopic[] | null> {
  const { rows } = await sql<{ topics: SubscriberTopic[] }>`
    select topics from publication_subscriber where site_id = ${siteId} and client_id = ${clientId}
    ${lock ? sql`for update` : sql``}`.execute(db);
  return rows[0]?.topics ?? null;
}

/** Topics to which keys are limited, by client id; keys without limits are missing. */
export async function findLimits(
  db: Db,
  clientIds: readonly number[],
): Promise<ReadonlyMap<number, readonly SubscriberTopic[]>> {
  const { rows } = await sql<{ clientId: number; topics: SubscriberTopic[] }>`
    select client_id as "clientId", topics from publication_subscriber
    where client_id = any(${[...clientIds]}::int[])`.execute(db);
  return new Map(rows.map(({ clientId, topics }) => [clientId, topics]));
}

/** Replaces the limits of a key; null removes them. */
export async function saveLimits(
  tx: Tx,
  siteId: number,
  clientId: number,
  topics: readonly SubscriberTopic[] | null,
): Promise<void> {
  if (topics === null)
    await sql`delete from publication_subscriber where site_id = ${siteId} and client_id = ${clientId}`.execute(
      tx,
    );
  else
    await sql`
      insert into publication_subscriber (site_id, client_id, topics)
      values (${siteId}, ${clientId}, ${JSON.stringify(topics)}::jsonb)
      on conflict (site_id, client_id) do update set topics = excluded.topics, modified_at = now()`.execute(
      tx,
    );
}
