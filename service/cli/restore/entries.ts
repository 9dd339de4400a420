import { sql } from 'kysely';
import { FIELD } from '../../../contract/rules/fields.ts';
import { entriesPath, fieldsOf, isPlainText, RefusedFile, SHEETS } from '../../areas/backups/index.ts';
import {
  type EntryType,
  loadSchema,
  type SchemaField,
  type SiteSchema,
  type StoredValue,
  type Vals,
} from '../../areas/schema/index.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { encode } from '../../kernel/db/values.ts';
import { entryRows, multiRows, textRows } from '../load/rows.ts';
import type { Piece } from '../load/target.ts';
import type { Cells } from './csv.ts';
import type { Restoring } from './restoring.ts';
import { rowsOf } from './sheets.ts';

/** Types, fields and choices with their ids; what is worked out from values is ready when the restore ends. */
export async function restoreSchema(tx: Tx, restoring: Restoring): Promise<SiteSchema> {
  const { siteId, file } = restoring;
  await restoring.copySheet(tx, SHEETS.types, 'entry_type');
  await restoring.copySheet(tx, SHEETS.fields, 'field', {
    more: {
      slot_state: (row) => (row['slot'] === null ? null : 'ready'),
      search_state: (row) => (row['is_searchable'] === 't' ? 'ready' : null),
    },
  });
  if (!file.manifest.isWholeSite && !restoring.isCheck)
    await sql`update field f set entry_lists = array(select t from unnest(entry_lists) as t
        join entry_type e on e.site_id = f.site_id and e.type_id = t order by t)
      where site_id = ${siteId} and entry_lists <> '{}'`.execute(tx);
  await restoring.copySheet(tx, SHEETS.choices, 'choice_value');
  await restoring.copySheet(tx, SHEETS.counters, 'field_counter');
  await restoring.copySheet(tx, SHEETS.calculations, 'field_job', { more: { job: () => 'calculate' } });
  await restoring.copySheet(tx, SHEETS.views, 'saved_view', {
    change: (row) => (restoring.ids.user.has(Number(row['owner_id'])) ? row : undefined),
  });
  return loadSchema(tx, siteId);
}

/** Ids of the entries that the backup holds, where it may name others: of the whole site it does not. */
export async function knownEntries(
  { file, isCheck }: Restoring,
  schema: SiteSchema,
): Promise<Set<number> | undefined> {
  if (file.manifest.isWholeSite || isCheck) return undefined;
  const known = new Set<number>();
  for (const type of schema.types)
    for await (const rows of rowsOf(file, entriesPath(type.apiName), headerOf(type)))
      for (const [id] of rows) known.add(Number(id));
  return known;
}

const headerOf = (type: EntryType): string[] => [
  'EntryId',
  'EntryVersion',
  ...fieldsOf(type).map(({ apiName }) => apiName),
];

/** The entries of a type with all that follows from their values. */
export async function restoreEntries(
  tx: Tx,
  restoring: Restoring,
  type: EntryType,
  known: ReadonlySet<number> | undefined,
): Promise<void> {
  const { file, report, siteId } = restoring;
  const fields = fieldsOf(type);
  let count = 0;
  for await (const rows of rowsOf(file, entriesPath(type.apiName), headerOf(type))) {
    const entries = rows.map((cells) => ({
      siteId,
      entryId: Number(cells[0]),
      vals: valsOf(restoring, fields, cells, known),
      createdAt: new Date(0),
      createdBy: null,
    }));
    const { table, columns, rows: written } = entryRows(type, entries);
    const versions = rows.map((cells) => cells[1]);
    const texts = Array.from(written, (row, at) => [...row.map(encode), versions[at] ?? null]);
    await restoring.write(tx, table, [...columns, 'version'], texts);
    for (const piece of [multiRows(type, entries), textRows(type, entries)])
      await writePiece(tx, restoring, piece);
    count += rows.length;
  }
  report.entries[type.apiName] = count;
}

const writePiece = (tx: Tx, { write }: Restoring, { table, columns, rows }: Piece): Promise<void> =>
  write(
    tx,
    table,
    columns,
    Array.from(rows, (row) => row.map(encode)),
  );

function valsOf(
  restoring: Restoring,
  fields: readonly SchemaField[],
  cells: Cells,
  known: ReadonlySet<number> | undefined,
): Vals {
  const vals: Record<string, StoredValue> = {};
  for (const [at, field] of fields.entries()) {
    const cell = cells[at + 2] ?? null;
    if (cell === null) continue;
    const value = isPlainText(field) ? cell : here(restoring, field, json(cell) as StoredValue, known);
    if (value !== undefined) vals[field.id] = value;
  }
  return vals;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RefusedFile('The file is damaged: a value is no JSON');
  }
}

/** The value with the ids that people have here, and without references to what is not in the backup. */
function here(
  { ids, report }: Restoring,
  { fieldType }: SchemaField,
  value: StoredValue,
  known: ReadonlySet<number> | undefined,
): StoredValue | undefined {
  if (fieldType === FIELD.user) return replaced(value, (id) => ids.user.get(id));
  if (fieldType !== FIELD.reference || !known) return value;
  return replaced(value, (id) => {
    if (known.has(id)) return id;
    report.droppedReferences += 1;
    return undefined;
  });
}

/** One id or several of them; a field is left without data where none remains. */
function replaced(value: StoredValue, by: (id: number) => number | undefined): StoredValue | undefined {
  if (typeof value === 'number') return by(value);
  if (!Array.isArray(value)) return value;
  const all = value.flatMap((id) => (typeof id === 'number' ? (by(id) ?? []) : []));
  return all.length > 0 ? all : undefined;
}

/** When entries were made, changed and deleted, every change of a value, and what waits to be calculated. */
export async function restoreHistory(tx: Tx, restoring: Restoring, schema: SiteSchema): Promise<void> {
  const { ids, report } = restoring;
  const userFields = new Set(
    [...schema.fieldsById.values()]
      .filter(({ fieldType }) => fieldType === FIELD.user)
      .map(({ id }) => String(id)),
  );
  const isSame = [...ids.user].every(([from, to]) => from === to);
  const held = (text: string | null): string | null => {
    if (text === null) return null;
    const value = replaced(json(text) as StoredValue, (id) => ids.user.get(id));
    return value === undefined ? null : JSON.stringify(value);
  };
  const lastVals = (text: string | null): string | null => {
    if (text === null) return null;
    const vals = Object.entries(json(text) as Record<string, StoredValue>).flatMap(([id, value]) => {
      const now = userFields.has(id) ? replaced(value, (user) => ids.user.get(user)) : value;
      return now === undefined ? [] : [[id, now] as const];
    });
    return JSON.stringify(Object.fromEntries(vals));
  };
  await restoring.copySheet(tx, SHEETS.changes, 'entry_change', {
    change: (row) => (isSame ? row : { ...row, last_vals: lastVals(row['last_vals'] ?? null) }),
  });
  report.changes = await restoring.copySheet(tx, SHEETS.cells, 'cell_log', {
    change: (row) =>
      isSame || !userFields.has(row['field_id'] ?? '')
        ? row
        : { ...row, old: held(row['old'] ?? null), new: held(row['new'] ?? null) },
  });
  await restoring.copySheet(tx, SHEETS.waiting, 'calc_queue');
}
