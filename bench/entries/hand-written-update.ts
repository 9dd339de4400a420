/** The writes of the service as hand-written SQL for fixed fields: the floor of write benchmarks. */
import type { Pool } from 'pg';
import type { EntryService } from './entry-service.ts';

type Values = (apiName: string) => readonly (string | number | boolean)[];

const SQL_TYPES = { string: 'text', number: 'float8', boolean: 'boolean' } as const;

/**
 * Prepares a function that changes one value of each field in each entry in one transaction: the entry with its slots, the change log
 * with the old values, the change times, one audit row and one event. It checks neither permissions nor values. `buildFurtherUpdate`
 * adds a part of the statement ("name as (…),") that sees the new values as `x` and the old ones as `o`.
 */
export async function prepareHandWrittenUpdate(
  { typeId, getField: field }: EntryService,
  pool: Pool,
  ids: readonly number[],
  names: readonly string[],
  buildFurtherUpdate: (fieldId: number, column: string) => string = () => '',
): Promise<(values: Values) => Promise<void>> {
  const { rows: slots } = await pool.query<{ api_name: string; slot: string | null }>(
    'select api_name, slot from field where site_id = 1 and type_id = $1',
    [typeId],
  );
  const slotOf = new Map(slots.map(({ api_name: name, slot }) => [name, slot]));
  return async (values) => {
    const fields = names.map((name, at) => {
      const newValues = values(name);
      const [first = ''] = newValues;
      const type = SQL_TYPES[typeof first as keyof typeof SQL_TYPES];
      return { id: field(name).id, slot: slotOf.get(name), column: `v${at}`, newValues, type };
    });
    const columns = fields.map(({ column }) => column).join(', ');
    const arrays = fields.map(({ type }, at) => `$${at + 2}::${type}[]`).join(', ');
    const patch = fields.map(({ id, column }) => `'${id}', x.${column}`).join(', ');
    const set = fields.map(({ slot, column }) => (slot ? `, ${slot} = x.${column}` : '')).join('');
    const further = fields.map(({ id, column }) => buildFurtherUpdate(id, column)).join('');
    const logRows = fields.map(({ id, column }) => `(${id}, o.vals -> '${id}', to_jsonb(x.${column}))`);
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query(
        `with x as materialized (select * from unnest($1::int[], ${arrays}) as x(entry_id, ${columns})),
          o as materialized (select entry_id, vals from entry
            where site_id = 1 and entry_id = any($1::int[]) order by entry_id for no key update),
          updated as (update entry e set version = version + 1, vals = e.vals || jsonb_build_object(${patch}) ${set}
            from x where e.site_id = 1 and e.entry_id = x.entry_id),
          ${further}
          timed as (update entry_change set any_at = now(), direct_at = now(), modified_by = 1
            where site_id = 1 and entry_id = any($1::int[]))
        insert into cell_log (site_id, entry_id, field_id, at, type_id, old, new, user_id, cause)
          select 1, x.entry_id, l.id, now(), ${typeId}, l.old, l.new, 1, 0
          from x join o using (entry_id) cross join lateral (values ${logRows.join(', ')}) as l(id, old, new)`,
        [ids, ...fields.map(({ newValues }) => newValues)],
      );
      await client.query(
        `insert into audit_log (site_id, actor_id, action, subject_type, subject_id, request_id, changes)
          values (1, 1, 'entry.update', 'entry-type', '${typeId}', 'bench', to_jsonb($1::int[]))`,
        [ids],
      );
      await client.query(
        `with taken as (update topic set next = next + 1 where site_id = 1 and name = 'default-data' returning topic_id, next - 1 as off)
          insert into topic_event (site_id, topic_id, off, payload) select 1, topic_id, off, to_jsonb($1::int[]) from taken`,
        [ids],
      );
      await client.query('commit');
    } finally {
      client.release();
    }
  };
}
