import { type RawBuilder, sql } from 'kysely';
import type { ChangeEvent } from '../../kernel/outbox/store.ts';
import type { Wanted } from './matching.store.ts';
import { followedBy } from './order.store.ts';

type Sql = RawBuilder<unknown>;

/**
 * How far the changes of a site's data have come. Whoever writes entries tells so in their topic, in the same transaction
 * and one after the other (kernel/outbox): the number names exactly what a statement sees, where a moment would not name
 * what was written before it and committed after it.
 */
export type Mark = number;

const TOPIC: ChangeEvent['topic'] = 'default-data';

/** What was told between two marks is looked through as long as it is no more than this. */
const MOST_TOLD = 1_000;

const OF_TYPE = '$.payload.entities.*[0].EntryListId ? (@ == $type)';

/** The mark of what the statement sees. */
export const markSql = (siteId: number): Sql =>
  sql`coalesce((select next from topic where site_id = ${siteId} and name = ${TOPIC}), 0)`;

/**
 * Whether what was found of a list at a mark is still so, as the statement sees it; undefined: nothing tells.
 */
export function sinceSql({ asked, type, order }: Wanted, mark: Mark): Sql | undefined {
  const follows = order ? followedBy(order) : 'type';
  if (follows === 'people') return undefined;
  return unchangedSql(asked.siteId, mark, follows === 'type' ? type.id : undefined);
}

/** Whether the statement sees nothing of the type, or of any where none is named, that is newer than the mark. */
export function unchangedSql(siteId: number, mark: Mark, typeId: number | undefined): Sql {
  const isSame = sql`${markSql(siteId)} = ${mark}::bigint`;
  if (typeId === undefined) return sql`(${isSame})`;
  // Numbers have no gaps: where some are missing, they were deleted, and nobody knows what they told.
  return sql`(${isSame} or (select next - ${mark}::bigint between 0 and ${sql.lit(MOST_TOLD)} and (
      select count(*) = next - ${mark}::bigint
        and not coalesce(bool_or(jsonb_path_exists(payload, ${OF_TYPE}, ${JSON.stringify({ type: typeId })}::jsonb)), false)
      from topic_event v where v.site_id = topic.site_id and v.topic_id = topic.topic_id and v.off >= ${mark}::bigint)
    from topic where site_id = ${siteId} and name = ${TOPIC}))`;
}
