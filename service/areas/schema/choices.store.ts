import { sql } from 'kysely';
import type { ChoiceValueInfo } from '../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { SchemaField } from './schema.ts';

/** Writes the choices of a field in their order: known ids are kept, others added, and what is left out is removed. */
export async function writeChoices(
  tx: Tx,
  siteId: number,
  fieldId: number,
  choices: readonly ChoiceValueInfo[],
): Promise<void> {
  const listed = JSON.stringify(choices.map(({ id = null, name }, at) => ({ id, name, seq: at + 1 })));
  await sql`
    update choice_value c set
      name = coalesce(w.name, c.name), seq = coalesce(w.seq, c.seq), is_removed = w.id is null
    from choice_value known left join jsonb_to_recordset(${listed}::jsonb) as w(id int, name text, seq int)
      on w.id = known.choice_id
    where known.site_id = ${siteId} and known.field_id = ${fieldId} and not (known.is_removed and w.id is null)
      and c.site_id = known.site_id and c.field_id = known.field_id and c.choice_id = known.choice_id`.execute(
    tx,
  );
  await sql`
    insert into choice_value (site_id, field_id, name, seq)
    select ${siteId}, ${fieldId}, w.name, w.seq
    from jsonb_to_recordset(${listed}::jsonb) as w(id int, name text, seq int)
    where w.id is null order by w.seq`.execute(tx);
}

/** How many entries have each of these choices; those that none has are left out. */
export async function choiceUses(
  db: Db,
  siteId: number,
  field: SchemaField,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const uses = field.isMultiSelect ? inMulti(siteId, field, ids) : inEntries(siteId, field, ids);
  const { rows } = await uses.execute(db);
  return new Map(rows.map(({ choice, n }) => [choice, n]));
}

const inMulti = (siteId: number, field: SchemaField, ids: readonly number[]) => sql<{
  choice: number;
  n: number;
}>`
  select v as choice, count(*)::int as n from entry_multi
  where site_id = ${siteId} and field_id = ${field.id} and v = any(${[...ids]}::int[]) group by v`;

/** By the slot where it is ready, else by the values of all entries of the type. */
function inEntries(siteId: number, field: SchemaField, ids: readonly number[]) {
  const value =
    field.slot && field.isSlotReady ? sql.ref(field.slot) : sql`(vals ->> ${String(field.id)})::float8`;
  return sql<{ choice: number; n: number }>`
    select ${value}::int as choice, count(*)::int as n from entry
    where site_id = ${siteId} and type_id = ${field.typeId} and ${value} = any(${[...ids]}::float8[]) group by 1`;
}
