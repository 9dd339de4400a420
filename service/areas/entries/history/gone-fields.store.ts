import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/database.ts';
import type { EntryType, SchemaField } from '../../schema/index.ts';
import { type Rendering, rowJson } from '../query/render.store.ts';

/** What the audit row of a deleted field tells of it: each property as it was, and null. */
type Told = Partial<Record<keyof SchemaField | 'choiceValues', readonly [was: unknown, is: null]>>;

interface Entry {
  siteId: number;
  type: EntryType;
  entryId: number;
}

interface GoneField extends SchemaField {
  /** When it was deleted. */
  goneAt: Date;
}

const wasText = (told: Told, name: keyof Told): string => {
  const was = told[name]?.[0];
  return typeof was === 'string' ? was : '';
};
const wasTrue = (told: Told, name: keyof Told): boolean => told[name]?.[0] === true;

/**
 * Fields that the entry had values of and its type has no more, as they were when they were deleted: the log keeps
 * the values, and the audit row tells what they were values of. Each stands under a name that no apiName can be.
 */
export async function goneFields(db: Db, { siteId, type, entryId }: Entry): Promise<GoneField[]> {
  const [likeness] = type.fields;
  if (!likeness) return [];
  const ids = type.fields.map(({ id }) => id);
  const { rows } = await sql<{ id: number; goneAt: Date; told: Told }>`
    select gone.field_id as id, a.at as "goneAt", a.changes as told
    from (select distinct field_id from cell_log where site_id = ${siteId} and entry_id = ${entryId}
      and field_id <> all(${ids}::int[])) gone
    cross join lateral (select at, changes from audit_log where site_id = ${siteId} and subject_type = 'field'
      and subject_id = gone.field_id::text and action = 'field.delete' order by at desc limit 1) a`.execute(
    db,
  );
  return rows.map(({ id, goneAt, told }) => ({
    ...likeness,
    id,
    goneAt,
    apiName: `$${id}`,
    name: wasText(told, 'name'),
    fieldType: told.fieldType?.[0] as SchemaField['fieldType'],
    isMultiSelect: wasTrue(told, 'isMultiSelect'),
    isDateOnly: wasTrue(told, 'isDateOnly'),
    isMoney: wasTrue(told, 'isMoney'),
    isKey: false,
    slot: null,
    choices: new Map(
      ((told.choiceValues?.[0] ?? []) as { id: number; name: string }[]).map((choice, at) => [
        choice.id,
        { ...choice, seqNumber: at, isRemoved: true },
      ]),
    ),
  }));
}

/**
 * What the entry held in these fields at a moment, as JSON text of a row: what the first later change took away, or what
 * the last one before left there until the field went.
 */
export async function goneValuesAt(
  db: Db,
  { siteId, entryId }: Entry,
  gone: readonly GoneField[],
  at: Date,
  rendering: Rendering,
): Promise<string> {
  const fields = gone.filter(({ goneAt }) => goneAt > at);
  const ofField = sql`l.site_id = ${siteId} and l.entry_id = ${entryId} and l.field_id = field.id`;
  const { rows } = await sql<{ row: string }>`
    select ${rowJson(fields, rendering)} as row from (
      select ${entryId}::int as entry_id, coalesce(jsonb_object_agg(id::text, held) filter (where held is not null), '{}') as vals
      from (select field.id, case when later.is_one then later.old else earlier.new end as held
        from unnest(${fields.map(({ id }) => id)}::int[]) as field(id)
        left join lateral (select true as is_one, l.old from cell_log l
          where ${ofField} and l.at > ${at}::timestamptz order by l.seq limit 1) later on true
        left join lateral (select l.new from cell_log l
          where ${ofField} and l.at <= ${at}::timestamptz order by l.seq desc limit 1) earlier on true) held) e`.execute(
    db,
  );
  return rows[0]?.row ?? '{}';
}
