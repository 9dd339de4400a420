import { type Insertable, sql } from 'kysely';
import type { EntryTypeInfo } from '../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { ENTRIES_BY_TYPE } from '../../kernel/db/list-page.ts';
import type { Tables } from '../../kernel/db/tables.ts';
import type { Draft } from './draft.ts';
import type { SchemaField, Slot } from './schema.ts';

type FieldRow = Insertable<Tables['field']>;
type Job = Tables['field_job']['job'];

/** How many entries there are of each type; types without any are left out. */
export async function countEntries(db: Db, siteId: number): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ part: number; n: number }>`
    select part, sum(n)::int as n from list_block
    where site_id = ${siteId} and list = ${ENTRIES_BY_TYPE} group by part having sum(n) > 0`.execute(db);
  return new Map(rows.map(({ part, n }) => [part, n]));
}

/** Whether an entry of the type, one that is gone as well, ever had a value of the field. */
export async function hasPast(
  tx: Tx,
  siteId: number,
  { id, typeId }: { id: number; typeId: number },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from entry_change c where c.site_id = ${siteId} and c.type_id = ${typeId} and (c.last_vals ? ${String(id)}
      or exists (select 1 from cell_log l where l.site_id = ${siteId} and l.entry_id = c.entry_id and l.field_id = ${id}))
    limit 1`.execute(tx);
  return rows.length > 0;
}

/** The schema is another one from here on: its version rises by one, and no cache of it holds any more. */
export async function raiseSchema(tx: Tx, siteId: number): Promise<void> {
  await sql`update site set schema_version = schema_version + 1, schema_stamp = gen_random_uuid()
    where site_id = ${siteId}`.execute(tx);
}

/** What is known about slots is another, the schema is the same: caches are made anew, the version stays. */
export async function renewCaches(tx: Tx, siteId: number): Promise<void> {
  await sql`update site set schema_stamp = gen_random_uuid() where site_id = ${siteId}`.execute(tx);
}

export async function insertType(tx: Tx, siteId: number, info: Required<EntryTypeInfo>): Promise<number> {
  const row = await tx
    .insertInto('entry_type')
    .values({ site_id: siteId, ...typeRow(info) })
    .returning('type_id')
    .executeTakeFirstOrThrow();
  return row.type_id;
}

const typeRow = ({ apiName, singularName, pluralName }: Required<EntryTypeInfo>) => ({
  api_name: apiName,
  singular_name: singularName,
  plural_name: pluralName,
});

export async function updateType(
  tx: Tx,
  siteId: number,
  typeId: number,
  info: Required<EntryTypeInfo>,
): Promise<void> {
  await tx
    .updateTable('entry_type')
    .set({ ...typeRow(info), version: sql`version + 1`, modified_at: sql`now()` })
    .where('site_id', '=', siteId)
    .where('type_id', '=', typeId)
    .execute();
}

/** Deletes a type that has no entries, with its fields and what was left to be done for them. */
export async function deleteType(tx: Tx, siteId: number, typeId: number): Promise<void> {
  await tx.deleteFrom('entry_type').where('site_id', '=', siteId).where('type_id', '=', typeId).execute();
}

/** How a field and its slot are stored. */
interface StoredState {
  slot: Slot | null;
  /** Entries that were there before still have to be brought into the slot, or into entry_text. */
  slotState: FieldRow['slot_state'];
  searchState: FieldRow['search_state'];
}

const fieldRow = (draft: Draft, { slot, slotState, searchState }: StoredState) => ({
  api_name: draft.apiName,
  name: draft.name,
  description: draft.description,
  is_required: draft.isRequired,
  required_when: draft.requiredWhen && JSON.stringify(draft.requiredWhen),
  is_money: draft.isMoney,
  is_multi: draft.isMultiSelect,
  is_key: draft.isKey,
  is_searchable: draft.isSearchable,
  is_date_only: draft.isDateOnly,
  is_on_form: draft.isOnEntryForm,
  formula: draft.formula,
  entry_lists: [...draft.entryLists],
  slot,
  slot_state: slotState,
  search_state: searchState,
});

export async function insertField(
  tx: Tx,
  siteId: number,
  typeId: number,
  draft: Draft,
  state: StoredState,
): Promise<number> {
  const row = await tx
    .insertInto('field')
    .values({ site_id: siteId, type_id: typeId, kind: draft.fieldType, ...fieldRow(draft, state) })
    .returning('field_id')
    .executeTakeFirstOrThrow();
  return row.field_id;
}

const oneField = (tx: Tx, siteId: number, fieldId: number) =>
  tx.updateTable('field').where('site_id', '=', siteId).where('field_id', '=', fieldId);

export async function updateField(
  tx: Tx,
  siteId: number,
  fieldId: number,
  draft: Draft,
  state: StoredState,
): Promise<void> {
  await oneField(tx, siteId, fieldId)
    .set({ ...fieldRow(draft, state), version: sql`version + 1`, modified_at: sql`now()` })
    .execute();
}

/** The text of a formula in which another field has a new name. */
export async function updateFormula(tx: Tx, siteId: number, fieldId: number, formula: string): Promise<void> {
  await oneField(tx, siteId, fieldId)
    .set({ formula, version: sql`version + 1`, modified_at: sql`now()` })
    .execute();
}

/** Takes the name of entries from a field, before another one gets it. */
export async function releaseKey(tx: Tx, siteId: number, fieldId: number, slot: Slot | null): Promise<void> {
  await oneField(tx, siteId, fieldId)
    .set({
      is_key: false,
      slot,
      slot_state: slot && 'ready',
      version: sql`version + 1`,
      modified_at: sql`now()`,
    })
    .execute();
}

/** Deletes a field. It keeps its slot until the entries are rid of its values; without entries it goes at once. */
export async function deleteField(
  tx: Tx,
  siteId: number,
  field: SchemaField,
  hasEntries: boolean,
): Promise<void> {
  if (!hasEntries) {
    await tx.deleteFrom('field').where('site_id', '=', siteId).where('field_id', '=', field.id).execute();
    return;
  }
  await oneField(tx, siteId, field.id)
    .set({ deleted_at: sql`now()` })
    .execute();
  await tx.deleteFrom('field_job').where('site_id', '=', siteId).where('field_id', '=', field.id).execute();
  await addJob(tx, siteId, field.id, 'clear');
}

/** Slots of a type that are in use, those of deleted fields included. */
export async function takenSlots(tx: Tx, siteId: number, typeId: number): Promise<ReadonlySet<Slot>> {
  const rows = await tx
    .selectFrom('field')
    .select('slot')
    .where('site_id', '=', siteId)
    .where('type_id', '=', typeId)
    .where('slot', 'is not', null)
    .execute();
  return new Set(rows.map(({ slot }) => slot as Slot));
}

/** Leaves something to be done with all entries of the field's type, from the first one again. */
export async function addJob(tx: Tx, siteId: number, fieldId: number, job: Job): Promise<void> {
  await tx
    .insertInto('field_job')
    .values({ site_id: siteId, field_id: fieldId, job })
    .onConflict((conflict) => conflict.columns(['site_id', 'field_id', 'job']).doUpdateSet({ after_id: 0 }))
    .execute();
}

export async function hasJob(tx: Tx, siteId: number, fieldId: number, job: Job): Promise<boolean> {
  const row = await tx
    .selectFrom('field_job')
    .select('job')
    .where('site_id', '=', siteId)
    .where('field_id', '=', fieldId)
    .where('job', '=', job)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertCounter(tx: Tx, siteId: number, fieldId: number): Promise<void> {
  await tx.insertInto('field_counter').values({ site_id: siteId, field_id: fieldId }).execute();
}
