import { type RawBuilder, sql } from 'kysely';
import { type Condition, ENTRY_ID } from '../../../../contract/rules/query/tree.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { ChangeEvent } from '../../../kernel/outbox/store.ts';
import type { Wanted } from '../query/matching.store.ts';
import { followedBy } from '../query/order.store.ts';

type Sql = RawBuilder<unknown>;

/**
 * How far the changes of a site's data have come. Whoever writes entries tells so in their topic, in the same transaction
 * and one after the other (kernel/outbox): the number names exactly what a statement sees, where a moment would not name
 * what was written before it and committed after it.
 */
export type Mark = number;

const TOPIC: ChangeEvent['topic'] = 'default-data';

/** What was told between two marks is looked through as long as it is no more than this. */
const MOST_TOLD = 200;

const COME_OR_GONE =
  '$.payload.entities.keyvalue() ? (@.key != "updated").value[0].EntryListId ? (@ == $type)';
const UPDATED = '$.payload.entities.updated[0].EntryListId ? (@ == $type)';

/** Entries of a type, by the values of some of its fields. */
interface Followed {
  typeId: number;
  fieldIds: readonly number[];
}

/**
 * Whether an event `v` tells of what is followed: entries that came or went, or others one of whose fields was changed. The
 * log has every change, none of a transaction older than the transaction is; what others logged meanwhile counts too.
 */
const concerns = (siteId: number, { typeId, fieldIds }: Followed): Sql => {
  const type = sql`${JSON.stringify({ type: typeId })}::jsonb`;
  return sql`(jsonb_path_exists(payload, ${COME_OR_GONE}, ${type}) or jsonb_path_exists(payload, ${UPDATED}, ${type})
    and exists (select from jsonb_path_query(payload, '$.payload.entities.updated[*].EntryId') as told(id)
      join cell_log l on l.site_id = ${siteId} and l.entry_id = told.id::int and l.field_id = any(${[...fieldIds]}::int[])
        and l.at >= v.at))`;
};

/** The mark of what the statement sees. */
export const markSql = (siteId: number): Sql =>
  sql`coalesce((select next from topic where site_id = ${siteId} and name = ${TOPIC}), 0)`;

export async function markNow(db: Db, siteId: number): Promise<Mark> {
  const { rows } = await sql<{ mark: Mark }>`select ${markSql(siteId)} as mark`.execute(db);
  return rows[0]?.mark ?? 0;
}

/**
 * How far the data have come as the statement sees them, and since when whatever is newer than the mark was changed: a
 * transaction changes nothing at a moment before it began. Without that moment nothing is newer, or nobody knows what is.
 */
export async function newerThan(
  db: Db,
  siteId: number,
  mark: Mark,
): Promise<{ mark: Mark; since: Date | undefined }> {
  const { rows } = await sql<{ mark: Mark; since: Date | null }>`
    select t.next as mark, (select case when count(*) = t.next - ${mark}::bigint then min(v.at) end from topic_event v
      where v.site_id = t.site_id and v.topic_id = t.topic_id and v.off >= ${mark}::bigint) as since
    from topic t where t.site_id = ${siteId} and t.name = ${TOPIC}`.execute(db);
  return { mark: rows[0]?.mark ?? 0, since: rows[0]?.since ?? undefined };
}

/** The fields that a condition asks for. */
function askedFor(condition: Condition): number[] {
  if (condition.kind !== 'comparison') return condition.of.flatMap(askedFor);
  return condition.field === ENTRY_ID ? [] : [condition.field.id];
}

/** What a list follows from, of its own type. */
export const followedOf = ({ type, condition, order }: Wanted): Followed => ({
  typeId: type.id,
  fieldIds: [...askedFor(condition), ...(order && order.field !== ENTRY_ID ? [order.field.id] : [])],
});

/**
 * Whether what was found of a list at a mark is still so, as the statement sees it; undefined: nothing tells.
 */
export function sinceSql(wanted: Wanted, mark: Mark): Sql | undefined {
  const { asked, order } = wanted;
  const follows = order ? followedBy(order) : 'type';
  if (follows === 'people') return undefined;
  return unchangedSql(asked.siteId, mark, follows === 'type' ? followedOf(wanted) : undefined);
}

/** Whether the statement sees nothing that is newer than the mark: of what is followed, or at all. */
export function unchangedSql(siteId: number, mark: Mark, followed: Followed | undefined): Sql {
  const isSame = sql`${markSql(siteId)} = ${mark}::bigint`;
  if (!followed) return sql`(${isSame})`;
  // Numbers have no gaps: where some are missing, they were deleted, and nobody knows what they told.
  return sql`(${isSame} or (select next - ${mark}::bigint between 0 and ${sql.lit(MOST_TOLD)} and (
      select count(*) = next - ${mark}::bigint and not coalesce(bool_or(${concerns(siteId, followed)}), false)
      from topic_event v where v.site_id = topic.site_id and v.topic_id = topic.topic_id and v.off >= ${mark}::bigint)
    from topic where site_id = ${siteId} and name = ${TOPIC}))`;
}
