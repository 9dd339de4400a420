import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/database.ts';
import type { SchemaField } from '../../schema/index.ts';
import { requireBound, upToBound } from '../query/bounds.store.ts';
import type { Ids } from '../query/id-list.ts';
import { type PastWanted, valuesThen } from './past-values.store.ts';
import { type Rendering, rowJson } from '../query/render.store.ts';

/** A row as it was, beside what it is today. */
export interface PastRow {
  entryId: number;
  row: string;
  /** Null: unchanged since then, or gone. */
  today: string | null;
  /** Fields that hold something else today; null where `today` is. */
  differing: number[] | null;
  isGone: boolean;
  mergedInto: number | null;
}

/** The rows of a page as JSON texts, in their order, with what those that have changed are today. */
export async function pastRows(
  db: Db,
  { asked: { siteId }, at }: PastWanted,
  /** `asToday`: of the ids those that stand there as they are. */
  { ids, asToday }: { ids: Ids; asToday: Ids },
  fields: readonly SchemaField[],
  rendering: Rendering,
): Promise<PastRow[]> {
  const fieldIds = fields.map(({ id }) => id);
  const then = valuesThen(siteId, sql`coalesce(n.vals, c.last_vals)`, sql`c.entry_id`, fieldIds, at);
  const changed = sql`(c.any_at > ${at}::timestamptz and c.entry_id <> all(${[...asToday]}::int[]))`;
  const row = rowJson(fields, rendering);
  // Told by the values themselves: what is shown of them may be cut.
  const differing = sql`(select coalesce(array_agg(asked.id order by asked.at), '{}')
    from unnest(${fieldIds}::int[]) with ordinality as asked(id, at)
    where p.vals -> asked.id::text is distinct from p.today -> asked.id::text)`;
  const built = sql`select p.at, p.entry_id as "entryId", p."isGone", p."mergedInto",
      case when p.changed and not p."isGone" then ${differing} end as differing,
      (select ${row} from (select p.entry_id, p.vals) as e) as row,
      case when p.changed and not p."isGone" then (select ${row} from (select p.entry_id, p.today as vals) as e) end as today
    from (select page.at, page.entry_id, ${changed} as changed, n.entry_id is null as "isGone",
        c.merged_into as "mergedInto", n.vals as today, case when ${changed} then ${then} else n.vals end as vals
      from unnest(${[...ids]}::int[]) with ordinality as page(entry_id, at)
      join entry_change c on c.site_id = ${siteId} and c.entry_id = page.entry_id
      left join entry n on n.site_id = c.site_id and n.entry_id = c.entry_id) p`;
  const { rows } = await sql<PastRow & { bytes: number }>`${upToBound(built)} order by at`.execute(db);
  requireBound(rows, 'limit');
  return rows;
}

/** Runs several reads of one state of the database. */
export const inOneState = <T>(db: Db, read: (tx: Db) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
