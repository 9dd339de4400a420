import { sql } from 'kysely';
import { findField, type EntryType } from '../../areas/schema/index.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { CITIES, type Stock } from './draw.ts';

const ENTRIES_AT_ONCE = 50_000;

const numbers = (count: number, step: number): number[] =>
  Array.from({ length: count }, (_, at) => 1 + at * step);

/** By apiName, what the fields that have a history held once. */
const HELD: Readonly<Record<string, readonly (string | number)[]>> = {
  Employees: numbers(97, 13),
  Score: numbers(89, 1.1),
  City: CITIES,
};

interface Logged {
  fieldId: number;
  values: readonly (string | number)[];
}

const loggedFields = (type: EntryType): Logged[] =>
  ['Stage', 'Region', 'Employees', 'Score', 'City'].flatMap((name) => {
    const field = findField(type, name);
    return field ? [{ fieldId: field.id, values: HELD[name] ?? [...field.choices.keys()] }] : [];
  });

/**
 * Writes the history of these entries, in the database: each value changed in the first year after its entry was made,
 * some several times, and the last change led to what the entry holds. Answers how many changes there are.
 */
export async function writeHistory(
  tx: Tx,
  type: EntryType,
  stock: Stock,
  { siteId, changes, seed }: { siteId: number; changes: number; seed: number },
): Promise<number> {
  if (changes === 0) return 0;
  await sql`analyze entry, entry_change`.execute(tx);
  await sql`select set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`.execute(tx);
  const fields = loggedFields(type);
  let written = 0;
  for (let from = 0; from < stock.entryIds.length; from += ENTRIES_AT_ONCE) {
    const ids = stock.entryIds.slice(from, from + ENTRIES_AT_ONCE);
    // oxlint-disable-next-line no-await-in-loop -- one connection, in order
    const { rows } = await sql<{ n: number }>`
      with field as materialized (
        select id, past::jsonb as values, jsonb_array_length(past::jsonb) as size
        from unnest(${fields.map(({ fieldId }) => fieldId)}::int[],
          ${fields.map(({ values }) => JSON.stringify(values))}::text[]) as given(id, past)),
      logged as (
        insert into cell_log (site_id, entry_id, field_id, at, type_id, old, new, user_id)
        select ${siteId}, entry_id, field_id, at, ${type.id}, old, new, user_id
        from (
          select c.entry_id, f.id as field_id, moment.at, f.values -> ((chance.h + j - 1) % f.size) as old,
            case when j = times.k or moment.next > ${new Date(stock.asOf)}::timestamptz then c.vals -> f.id::text
              else f.values -> ((chance.h + j) % f.size) end as new,
            (${[...stock.users]}::int[])[1 + (chance.h + j) % greatest(1, ${stock.users.length}::int)] as user_id
          from (
            select c.entry_id, c.created_at, e.vals
            from entry_change c join entry e on e.site_id = c.site_id and e.entry_id = c.entry_id
            where c.site_id = ${siteId} and e.type_id = ${type.id} and c.entry_id between ${ids[0]} and ${ids.at(-1)}
              and e.entry_id between ${ids[0]} and ${ids.at(-1)} offset 0) c
          cross join field f
          cross join lateral (select (hashint8extended(c.entry_id::bigint * 8192 + f.id, ${seed}) & 2147483647)::int as h) chance
          cross join lateral (select floor(chance.h / 2147483648.0 * ${(2 * changes) / fields.length + 1}::float8)::int as k) times
          cross join lateral generate_series(1, times.k) as j
          cross join lateral (select
            c.created_at + interval '365 days' * ((j - chance.h % 1000 / 1000.0) / times.k) as at,
            c.created_at + interval '365 days' * ((j + 1 - chance.h % 1000 / 1000.0) / times.k) as next) moment
          where moment.at <= ${new Date(stock.asOf)}::timestamptz) changed
        where old is distinct from new
        order by at
        returning entry_id, at, user_id),
      last as (select distinct on (entry_id) entry_id, at, user_id from logged order by entry_id, at desc),
      noted as (
        update entry_change c set direct_at = last.at, any_at = last.at, modified_by = last.user_id
        from last where c.site_id = ${siteId} and c.entry_id = last.entry_id)
      select count(*)::int as n from logged`.execute(tx);
    written += rows[0]?.n ?? 0;
  }
  return written;
}
