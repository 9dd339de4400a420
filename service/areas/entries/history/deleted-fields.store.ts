import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/database.ts';
import type { EntryType, SchemaField } from '../../schema/index.ts';
import { ENTRY } from '../query/field-sql.store.ts';
import { type Rendering, rowJsonSql } from '../query/row-json.store.ts';

/** `changes` of the audit row of a deleted field: the last value of each property, and null. */
type FieldAudit = Partial<Record<keyof SchemaField | 'choiceValues', readonly [was: unknown, is: null]>>;

interface Entry {
  siteId: number;
  type: EntryType;
  entryId: number;
}

/** A deleted field, described as a field of the type. */
interface DeletedField extends SchemaField {
  deletedAt: Date;
}

const getOldText = (audit: FieldAudit, name: keyof FieldAudit): string => {
  const old = audit[name]?.[0];
  return typeof old === 'string' ? old : '';
};
const getOldFlag = (audit: FieldAudit, name: keyof FieldAudit): boolean => audit[name]?.[0] === true;

/**
 * Deleted fields of the type in which the entry had values, as they were when they were deleted. The log stores the
 * values, the audit row of the deletion the properties of the field. Their apiName is `$` and the id, which no real
 * apiName can be.
 */
export async function findDeletedFields(db: Db, { siteId, type, entryId }: Entry): Promise<DeletedField[]> {
  const [template] = type.fields;
  if (!template) return [];
  const ids = type.fields.map(({ id }) => id);
  const { rows: logged } = await sql<{ id: number }>`
    select distinct field_id as id from cell_log where site_id = ${siteId} and entry_id = ${entryId}
      and field_id <> all(${ids}::int[])`.execute(db);
  if (logged.length === 0) return [];
  const { rows } = await sql<{ id: number; deletedAt: Date; audit: FieldAudit }>`
    select deleted.id, a.at as "deletedAt", a.changes as audit from unnest(${logged.map(({ id }) => id)}::int[]) as deleted(id)
    cross join lateral (select at, changes from audit_log where site_id = ${siteId} and subject_type = 'field'
      and subject_id = deleted.id::text and action = 'field.delete' order by at desc limit 1) a`.execute(db);
  return rows.map(({ id, deletedAt, audit }) => ({
    ...template,
    id,
    deletedAt,
    apiName: `$${id}`,
    name: getOldText(audit, 'name'),
    fieldType: audit.fieldType?.[0] as SchemaField['fieldType'],
    isMultiSelect: getOldFlag(audit, 'isMultiSelect'),
    isDateOnly: getOldFlag(audit, 'isDateOnly'),
    isMoney: getOldFlag(audit, 'isMoney'),
    isKey: false,
    slot: null,
    choices: new Map(
      ((audit.choiceValues?.[0] ?? []) as { id: number; name: string }[]).map((choice, at) => [
        choice.id,
        { ...choice, seqNumber: at, isRemoved: true },
      ]),
    ),
  }));
}

/**
 * Values of an entry in deleted fields at a timestamp, as the JSON text of a row: the old value of the first later change,
 * or else the new value of the last earlier change. Fields that were already deleted at that time are left out.
 */
export async function readDeletedFieldValues(
  db: Db,
  { siteId, entryId }: Entry,
  deletedFields: readonly DeletedField[],
  at: Date,
  rendering: Rendering,
): Promise<string> {
  const fields = deletedFields.filter(({ deletedAt }) => deletedAt > at);
  const ofField = sql`l.site_id = ${siteId} and l.entry_id = ${entryId} and l.field_id = field.id`;
  const { rows } = await sql<{ row: string }>`
    select ${rowJsonSql(fields, rendering)} as row from (
      select ${entryId}::int as entry_id, coalesce(jsonb_object_agg(id::text, held) filter (where held is not null), '{}') as vals
      from (select field.id, case when later.is_one then later.old else earlier.new end as held
        from unnest(${fields.map(({ id }) => id)}::int[]) as field(id)
        left join lateral (select true as is_one, l.old from cell_log l
          where ${ofField} and l.at > ${at}::timestamptz order by l.seq limit 1) later on true
        left join lateral (select l.new from cell_log l
          where ${ofField} and l.at <= ${at}::timestamptz order by l.seq desc limit 1) earlier on true) held) ${ENTRY}`.execute(
    db,
  );
  return rows[0]?.row ?? '{}';
}
