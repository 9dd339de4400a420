/** The writes of the service as one would write them by hand for these fields: what nobody can go below. */
import type { Pool } from 'pg';
import type { Place } from './place.ts';

type Values = (apiName: string) => readonly (string | number | boolean)[];

const TYPES = { string: 'text', number: 'float8', boolean: 'boolean' } as const;

/**
 * Changes one value of each field in each entry, in one transaction: the entry with its slots, the log with what there
 * was, when it changed, the audit and an event for all. Nothing is checked, nobody is asked for, the values are arrays.
 */
export async function updateByHand(
  { typeId, field }: Place,
  pool: Pool,
  ids: readonly number[],
  names: readonly string[],
): Promise<(values: Values) => Promise<void>> {
  const { rows: slots } = await pool.query<{ api_name: string; slot: string | null }>(
    'select api_name, slot from field where site_id = 1 and type_id = $1',
    [typeId],
  );
  const slotOf = new Map(slots.map(({ api_name: name, slot }) => [name, slot]));
  return async (values) => {
    const fields = names.map((name, at) => {
      const given = values(name);
      const [first = ''] = given;
      const type = TYPES[typeof first as keyof typeof TYPES];
      return { id: field(name).id, slot: slotOf.get(name), column: `v${at}`, given, type };
    });
    const columns = fields.map(({ column }) => column).join(', ');
    const arrays = fields.map(({ type }, at) => `$${at + 2}::${type}[]`).join(', ');
    const patch = fields.map(({ id, column }) => `'${id}', x.${column}`).join(', ');
    const set = fields.map(({ slot, column }) => (slot ? `, ${slot} = x.${column}` : '')).join('');
    const logged = fields.map(({ id, column }) => `(${id}, o.vals -> '${id}', to_jsonb(x.${column}))`);
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query(
        `with x as materialized (select * from unnest($1::int[], ${arrays}) as x(entry_id, ${columns})),
          o as materialized (select entry_id, vals from entry
            where site_id = 1 and entry_id = any($1::int[]) order by entry_id for no key update),
          written as (update entry e set version = version + 1, vals = e.vals || jsonb_build_object(${patch}) ${set}
            from x where e.site_id = 1 and e.entry_id = x.entry_id),
          noted as (update entry_change set any_at = now(), direct_at = now(), modified_by = 1
            where site_id = 1 and entry_id = any($1::int[]))
        insert into cell_log (site_id, entry_id, field_id, at, type_id, old, new, user_id, cause)
          select 1, x.entry_id, l.id, now(), ${typeId}, l.old, l.new, 1, 0
          from x join o using (entry_id) cross join lateral (values ${logged.join(', ')}) as l(id, old, new)`,
        [ids, ...fields.map(({ given }) => given)],
      );
      await client.query(
        `insert into audit_log (site_id, actor_id, action, subject_type, subject_id, request_id, changes)
          values (1, 1, 'entry.update', 'entry-type', '${typeId}', 'by hand', to_jsonb($1::int[]))`,
        [ids],
      );
      await client.query(
        `with told as (update topic set next = next + 1 where site_id = 1 and name = 'default-data' returning topic_id, next - 1 as off)
          insert into topic_event (site_id, topic_id, off, payload) select 1, topic_id, off, to_jsonb($1::int[]) from told`,
        [ids],
      );
      await client.query('commit');
    } finally {
      client.release();
    }
  };
}
