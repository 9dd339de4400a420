import { type Insertable, sql } from 'kysely';
import type { ChoiceValueInfo, EntryTypeInfo } from '../../../contract/generated/types.gen.ts';
import { type Db, executeLater, type Tx } from '../../kernel/db/database.ts';
import type { Tables } from '../../kernel/db/tables/index.ts';
import { raiseAllTypeVersions } from '../../kernel/db/type-versions.ts';
import { deleteFailure } from '../../kernel/tasks/task-failures.store.ts';
import type { FieldDraft } from './field-draft.ts';
import { FIELD_JOBS_TASK, getJobItem } from './field-jobs.store.ts';
import type { SchemaField, Slot } from './schema.ts';

type FieldRow = Insertable<Tables['field']>;
type FieldJobKind = Tables['field_job']['job'];

/** Number of entries by type id; types without entries are missing. */
export async function countEntries(db: Db, siteId: number): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ type_id: number; n: number }>`
    select type_id, sum(n)::int as n from entry_block
    where site_id = ${siteId} group by type_id having sum(n) > 0`.execute(db);
  return new Map(rows.map(({ type_id: typeId, n }) => [typeId, n]));
}

/** Change of the number of entries of a type on a day. */
export interface EntryCountChange {
  typeId: number;
  /** Full days before today, in UTC. */
  daysAgo: number;
  difference: number;
}

/**
 * Differences of the numbers of entries of the last days, by type and day. Reads the entries that changed in these days: entries that
 * were created or deleted are among them.
 */
export async function listEntryCountChanges(
  db: Db,
  siteId: number,
  days: number,
): Promise<EntryCountChange[]> {
  const today = sql`date_trunc('day', now() at time zone 'UTC')`;
  const getDaysAgo = (at: ReturnType<typeof sql>) =>
    sql`extract(day from ${today} - date_trunc('day', ${at} at time zone 'UTC'))::int`;
  const since = sql`(${today} - make_interval(days => ${days - 1}::int)) at time zone 'UTC'`;
  const { rows } = await sql<EntryCountChange>`
    select "typeId", "daysAgo", sum(difference)::int as difference from (
      select type_id as "typeId", ${getDaysAgo(sql`created_at`)} as "daysAgo", 1 as difference from entry_change
        where site_id = ${siteId} and any_at >= ${since} and created_at >= ${since}
      union all
      select type_id, ${getDaysAgo(sql`deleted_at`)}, -1 from entry_change
        where site_id = ${siteId} and any_at >= ${since} and deleted_at >= ${since}) change
    group by "typeId", "daysAgo"`.execute(db);
  return rows;
}

/** The last change of an entry of each type; absent for types that never had one. */
export async function listLastChanges(
  db: Db,
  siteId: number,
): Promise<ReadonlyMap<number, { at: Date; userId: number | null }>> {
  const { rows } = await sql<{ typeId: number; at: Date; userId: number | null }>`
    select t.type_id as "typeId", c.any_at as at, c.modified_by as "userId" from entry_type t
    cross join lateral (select any_at, modified_by from entry_change
      where site_id = ${siteId} and type_id = t.type_id order by any_at desc, entry_id desc limit 1) c
    where t.site_id = ${siteId}`.execute(db);
  return new Map(rows.map(({ typeId, at, userId }) => [typeId, { at, userId }]));
}

/** Whether any entry of the type, deleted ones included, ever had a value of the field. */
export async function hasHistory(
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

/** Increments `schemaVersion` and renews the stamp, so that cached schemas and lists of the site are read again. */
export async function incrementSchemaVersion(tx: Tx, siteId: number): Promise<void> {
  await tx
    .updateTable('site')
    .set({ schema_version: sql`schema_version + 1` })
    .where('site_id', '=', siteId)
    .execute();
  renewSchemaStamp(tx, siteId);
  recordSchemaVersion(tx, siteId);
  await raiseAllTypeVersions(tx, siteId);
}

/** A field as the messages of publications have it. */
export type FieldDefinition = Pick<SchemaField, 'id' | 'apiName' | 'fieldType' | 'isMoney' | 'isMultiSelect'>;

/**
 * Records the version that the site has now, with the entry types that differ from those of the version before, and deletes what no
 * kept event can name: events are kept for 9 days (shapes 7).
 */
function recordSchemaVersion(tx: Tx, siteId: number): void {
  // Later versions are of the time before the site was restored from a backup.
  executeLater(
    sql`
    with later as (delete from schema_version v using site
      where site.site_id = ${siteId} and v.site_id = site.site_id and v.version >= site.schema_version)
    delete from entry_type_definition d using site
    where site.site_id = ${siteId} and d.site_id = site.site_id and d.version >= site.schema_version`,
    tx,
  );
  executeLater(
    sql`
    with current as (
      select t.type_id, (select coalesce(jsonb_agg(jsonb_build_object('id', f.field_id, 'apiName', f.api_name,
          'fieldType', f.kind, 'isMoney', f.is_money, 'isMultiSelect', f.is_multi) order by f.field_id), '[]')
        from field f where f.site_id = t.site_id and f.type_id = t.type_id and f.deleted_at is null) as fields
      from entry_type t where t.site_id = ${siteId}),
    last as (select distinct on (type_id) type_id, fields from entry_type_definition
      where site_id = ${siteId} order by type_id, version desc),
    changed as (
      insert into entry_type_definition (site_id, type_id, version, fields)
      select site.site_id, type_id, site.schema_version, current.fields
      from current full join last using (type_id) join site on site.site_id = ${siteId}
      where current.fields is distinct from last.fields)
    insert into schema_version (site_id, version)
    select site_id, schema_version from site where site_id = ${siteId}`,
    tx,
  );
  executeLater(
    sql`
    with oldest as (select max(version) as version from schema_version
      where site_id = ${siteId} and created_at < now() - interval '9 days'),
    deleted as (delete from schema_version v using oldest
      where v.site_id = ${siteId} and v.version < oldest.version)
    delete from entry_type_definition d using oldest where d.site_id = ${siteId} and exists (
      select from entry_type_definition later where later.site_id = d.site_id and later.type_id = d.type_id
        and later.version > d.version and later.version <= oldest.version)`,
    tx,
  );
}

/** Versions of the schema that are kept, the newest first. */
export async function listSchemaVersions(
  db: Db,
  siteId: number,
): Promise<{ version: number; createdAt: Date }[]> {
  return db
    .selectFrom('schema_version')
    .select(['version', 'created_at as createdAt'])
    .where('site_id', '=', siteId)
    .orderBy('version', 'desc')
    .execute();
}

/** The entry types of a version of the schema, which must be a kept one. */
export async function loadTypeDefinitions(
  db: Db,
  siteId: number,
  version: number,
): Promise<{ id: number; fields: FieldDefinition[] }[]> {
  const { rows } = await sql<{ id: number; fields: FieldDefinition[] }>`
    select type_id as id, fields from (
      select distinct on (type_id) type_id, fields from entry_type_definition
      where site_id = ${siteId} and version <= ${version} order by type_id, version desc) latest
    where fields is not null order by type_id`.execute(db);
  return rows;
}

/**
 * Renews the stamp with the next statement. Without a new `schemaVersion`: cached schemas are read again because the state of a slot changed.
 */
export function renewSchemaStamp(tx: Tx, siteId: number): void {
  executeLater(
    sql`update schema_stamp set stamp = ${crypto.randomUUID()}::uuid where site_id = ${siteId}`,
    tx,
  );
}

export async function insertEntryType(
  tx: Tx,
  siteId: number,
  info: Required<EntryTypeInfo>,
): Promise<number> {
  const row = await tx
    .insertInto('entry_type')
    .values({ site_id: siteId, ...toEntryTypeRow(info) })
    .returning('type_id')
    .executeTakeFirstOrThrow();
  return row.type_id;
}

const toEntryTypeRow = ({ apiName, singularName, pluralName, icon }: Required<EntryTypeInfo>) => ({
  api_name: apiName,
  singular_name: singularName,
  plural_name: pluralName,
  icon,
});

export async function updateEntryType(
  tx: Tx,
  siteId: number,
  typeId: number,
  info: Required<EntryTypeInfo>,
): Promise<void> {
  await tx
    .updateTable('entry_type')
    .set({ ...toEntryTypeRow(info), version: sql`version + 1`, modified_at: sql`now()` })
    .where('site_id', '=', siteId)
    .where('type_id', '=', typeId)
    .execute();
}

/** Deletes an entry type without entries, with its fields and their pending jobs. */
export async function deleteEntryType(tx: Tx, siteId: number, typeId: number): Promise<void> {
  await tx.deleteFrom('entry_type').where('site_id', '=', siteId).where('type_id', '=', typeId).execute();
}

/** Slot of a field, and whether existing entries are already in the slot and in entry_text. */
interface FieldStorage {
  slot: Slot | null;
  /** `filling` until a field job has copied the values of all existing entries. */
  slotState: FieldRow['slot_state'];
  searchState: FieldRow['search_state'];
}

const toFieldRow = (draft: FieldDraft, { slot, slotState, searchState }: FieldStorage) => ({
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
  formula_max_length: draft.formulaMaxLength,
  entry_lists: [...draft.entryLists],
  slot,
  slot_state: slotState,
  search_state: searchState,
});

export async function insertField(
  tx: Tx,
  siteId: number,
  typeId: number,
  draft: FieldDraft,
  state: FieldStorage,
): Promise<number> {
  const row = await tx
    .insertInto('field')
    .values({ site_id: siteId, type_id: typeId, kind: draft.fieldType, ...toFieldRow(draft, state) })
    .returning('field_id')
    .executeTakeFirstOrThrow();
  return row.field_id;
}

const updateFieldQuery = (tx: Tx, siteId: number, fieldId: number) =>
  tx.updateTable('field').where('site_id', '=', siteId).where('field_id', '=', fieldId);

export async function updateField(
  tx: Tx,
  siteId: number,
  fieldId: number,
  draft: FieldDraft,
  state: FieldStorage,
): Promise<void> {
  await updateFieldQuery(tx, siteId, fieldId)
    .set({ ...toFieldRow(draft, state), version: sql`version + 1`, modified_at: sql`now()` })
    .execute();
}

/** Replaces the text of a formula after a field that it reads was renamed. */
export async function updateFormula(tx: Tx, siteId: number, fieldId: number, formula: string): Promise<void> {
  await updateFieldQuery(tx, siteId, fieldId)
    .set({ formula, version: sql`version + 1`, modified_at: sql`now()` })
    .execute();
}

/** Makes the key field an ordinary text field, before another field becomes the key. */
export async function releaseKey(tx: Tx, siteId: number, fieldId: number, slot: Slot | null): Promise<void> {
  await updateFieldQuery(tx, siteId, fieldId)
    .set({
      is_key: false,
      slot,
      slot_state: slot && 'ready',
      version: sql`version + 1`,
      modified_at: sql`now()`,
    })
    .execute();
}

/** Deletes a field. With entries it is only marked: a field job clears its values, and it keeps its slot until then. */
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
  await updateFieldQuery(tx, siteId, field.id)
    .set({ deleted_at: sql`now()` })
    .execute();
  await tx.deleteFrom('field_job').where('site_id', '=', siteId).where('field_id', '=', field.id).execute();
  await addJob(tx, siteId, field.id, 'clear');
}

/** Slots used by fields of a type, deleted fields included while their values are being cleared. */
export async function listUsedSlots(tx: Tx, siteId: number, typeId: number): Promise<ReadonlySet<Slot>> {
  const rows = await tx
    .selectFrom('field')
    .select('slot')
    .where('site_id', '=', siteId)
    .where('type_id', '=', typeId)
    .where('slot', 'is not', null)
    .execute();
  return new Set(rows.map(({ slot }) => slot as Slot));
}

/**
 * Queues a job over all entries of the field's type; a queued job of the same kind starts over, also when it had failed.
 */
export async function addJob(tx: Tx, siteId: number, fieldId: number, job: FieldJobKind): Promise<void> {
  await tx
    .insertInto('field_job')
    .values({ site_id: siteId, field_id: fieldId, job })
    .onConflict((oc) => oc.columns(['site_id', 'field_id', 'job']).doUpdateSet({ after_id: 0 }))
    .execute();
  await deleteFailure(tx, FIELD_JOBS_TASK, { siteId, item: getJobItem({ fieldId, job }) });
}

export async function hasJob(tx: Tx, siteId: number, fieldId: number, job: FieldJobKind): Promise<boolean> {
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

/**
 * Saves the choices of a field in the given order: updates listed ids, adds new ones, marks unlisted ones as removed.
 */
export async function saveChoices(
  tx: Tx,
  siteId: number,
  fieldId: number,
  choices: readonly ChoiceValueInfo[],
): Promise<void> {
  const listedJson = JSON.stringify(
    choices.map(({ id = null, name }, index) => ({ id, name, seq: index + 1 })),
  );
  await sql`
    update choice_value c set
      name = coalesce(w.name, c.name), seq = coalesce(w.seq, c.seq), is_removed = w.id is null
    from choice_value known left join jsonb_to_recordset(${listedJson}::jsonb) as w(id int, name text, seq int)
      on w.id = known.choice_id
    where known.site_id = ${siteId} and known.field_id = ${fieldId} and not (known.is_removed and w.id is null)
      and c.site_id = known.site_id and c.field_id = known.field_id and c.choice_id = known.choice_id`.execute(
    tx,
  );
  await sql`
    insert into choice_value (site_id, field_id, name, seq)
    select ${siteId}, ${fieldId}, w.name, w.seq
    from jsonb_to_recordset(${listedJson}::jsonb) as w(id int, name text, seq int)
    where w.id is null order by w.seq`.execute(tx);
}

/** Number of entries by choice id; choices that no entry has are missing. */
export async function countChoiceUses(
  db: Db,
  siteId: number,
  field: SchemaField,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const uses = field.isMultiSelect
    ? countInMultiValues(siteId, field, ids)
    : countInEntries(siteId, field, ids);
  const { rows } = await uses.execute(db);
  return new Map(rows.map(({ choice, n }) => [choice, n]));
}

const countInMultiValues = (siteId: number, field: SchemaField, ids: readonly number[]) => sql<{
  choice: number;
  n: number;
}>`
  select v as choice, count(*)::int as n from entry_multi
  where site_id = ${siteId} and field_id = ${field.id} and v = any(${[...ids]}::int[]) group by v`;

/** Counts by the slot where it is ready, otherwise by the values of all entries of the type. */
function countInEntries(siteId: number, field: SchemaField, ids: readonly number[]) {
  const value =
    field.slot && field.isSlotReady ? sql.ref(field.slot) : sql`(vals ->> ${String(field.id)})::float8`;
  return sql<{ choice: number; n: number }>`
    select ${value}::int as choice, count(*)::int as n from entry
    where site_id = ${siteId} and type_id = ${field.typeId} and ${value} = any(${[...ids]}::float8[]) group by 1`;
}
