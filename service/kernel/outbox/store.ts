import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { inPieces } from '../db/pieces.ts';

type Entity = Readonly<Record<string, unknown>>;

/** What was created, updated or deleted, as a default topic tells it (spec 6, shapes 7). */
export type ChangeEvent = {
  topic: 'default-users' | 'default-data' | 'default-schema';
  entityType: 'Users' | 'UserGroups' | 'Data' | 'EntryLists';
  kind: 'created' | 'updated' | 'deleted';
  /** Values that a calculation gave (spec 6 rule 3). */
  isCalculated?: boolean;
} & ({ entity: Entity } | { entities: readonly Entity[] });

/** So many entities are told in one event at most. */
const MOST_ENTITIES = 500;

/** An event of very many entities as several. */
function inEvents(event: ChangeEvent): { event: ChangeEvent; entities: readonly Entity[] }[] {
  const all = 'entities' in event ? event.entities : [event.entity];
  return Array.from({ length: Math.ceil(all.length / MOST_ENTITIES) }, (_, at) => ({
    event,
    entities: all.slice(at * MOST_ENTITIES, (at + 1) * MOST_ENTITIES),
  }));
}

const ROWS_AT_ONCE = 2000;

interface Author {
  siteId: number;
  userId: number | null;
  email: string | null;
  proxy?: { userId: number; email: string } | undefined;
}

/**
 * Appends events to their topics. Offsets have no gaps: the counter moves in the transaction of the change, so a
 * rolled-back change takes its numbers back with it. The row of the counter is locked until commit, so call it last.
 */
export async function publish(tx: Tx, author: Author, events: readonly ChangeEvent[]): Promise<void> {
  // Topics in one order in every transaction: two changes cannot wait for each other.
  for (const name of [...new Set(events.map((event) => event.topic))].toSorted()) {
    const mine = events.filter((event) => event.topic === name).flatMap(inEvents);
    const { rows } = await sql<{ topic_id: number; first: number; schema_version: number }>`
      with counted as (
        insert into topic (site_id, name, next) values (${author.siteId}, ${name}, ${mine.length})
        on conflict (site_id, name) do update set next = topic.next + ${mine.length}
        returning topic_id, next - ${mine.length} as first)
      select counted.topic_id, counted.first, site.schema_version from counted, site where site.site_id = ${author.siteId}`.execute(
      tx,
    );
    const [topic] = rows;
    if (!topic) throw new Error(`Site ${author.siteId} does not exist`);
    const modifiedAt = new Date().toISOString();
    const { topic_id: topicId, first, schema_version: schemaVersion } = topic;
    // oxlint-disable-next-line no-await-in-loop -- one connection, in order
    await inPieces(mine, ROWS_AT_ONCE, (piece, offset) => {
      const stored = piece.map(({ event, entities }, index) => ({
        off: first + offset + index,
        payload: envelope(author, event, entities, { modifiedAt, schemaVersion }),
      }));
      return sql`insert into topic_event (site_id, topic_id, off, payload)
        select ${author.siteId}, ${topicId}, off, payload
        from jsonb_to_recordset(${JSON.stringify(stored)}::jsonb) as x(off bigint, payload jsonb)`.execute(
        tx,
      );
    });
  }
}

/** What subscribers read (shapes 7, envelope); the topic's name and the offset stand in the row. */
const envelope = (
  author: Author,
  event: ChangeEvent,
  entities: readonly Entity[],
  moment: { modifiedAt: string; schemaVersion: number },
) => ({
  eventId: randomUUID(),
  ...moment,
  entityType: event.entityType,
  entityFormatType: 'None',
  modifiedById: author.userId,
  modifiedByUserEmail: author.email,
  ...(author.proxy && { proxyUserId: author.proxy.userId, proxyUserEmail: author.proxy.email }),
  isCalculated: event.isCalculated ?? false,
  payload: { entities: { [event.kind]: entities } },
});
