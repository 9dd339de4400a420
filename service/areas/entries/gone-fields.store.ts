import { sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';
import type { EntryType, SchemaField } from '../schema/index.ts';

/** What the audit row of a deleted field tells of it: each property as it was, and null. */
type Told = Partial<Record<keyof SchemaField | 'choiceValues', readonly [was: unknown, is: null]>>;

const wasText = (told: Told, name: keyof Told): string => {
  const was = told[name]?.[0];
  return typeof was === 'string' ? was : '';
};
const wasTrue = (told: Told, name: keyof Told): boolean => told[name]?.[0] === true;

/**
 * Fields that the entry had values of and its type has no more, as they were when they were deleted: the log keeps
 * the values, and the audit row tells what they were values of. Each stands under a name that no apiName can be.
 */
export async function goneFields(
  db: Db,
  { siteId, type, entryId }: { siteId: number; type: EntryType; entryId: number },
): Promise<SchemaField[]> {
  const [likeness] = type.fields;
  if (!likeness) return [];
  const ids = type.fields.map(({ id }) => id);
  const { rows } = await sql<{ id: number; told: Told }>`
    select gone.field_id as id, a.changes as told
    from (select distinct field_id from cell_log where site_id = ${siteId} and entry_id = ${entryId}
      and field_id <> all(${ids}::int[])) gone
    cross join lateral (select changes from audit_log where site_id = ${siteId} and subject_type = 'field'
      and subject_id = gone.field_id::text and action = 'field.delete' order by at desc limit 1) a`.execute(
    db,
  );
  return rows.map(({ id, told }) => ({
    ...likeness,
    id,
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
