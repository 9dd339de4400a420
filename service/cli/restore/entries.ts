import { sql } from 'kysely';
import { FIELD } from '../../../contract/rules/schema/fields.ts';
import {
  buildEntriesPath,
  sortFieldsById,
  isStoredAsText,
  InvalidBackupError,
} from '../../areas/backups/index.ts';
import { SHEETS } from '../../areas/registry.ts';
import {
  type EntryType,
  loadSchema,
  type SchemaField,
  type SiteSchema,
  type StoredValue,
  type StoredValues,
} from '../../areas/schema/index.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { encodeParameter } from '../../kernel/db/driver/values.ts';
import { toEntryRows, toMultiRows, toTextRows } from '../load/rows.ts';
import type { TableRows } from '../load/target.ts';
import type { RestoreContext } from './restore-context.ts';
import { type CsvRow, readRows } from './sheets.ts';

/** Restores entry types, fields, choices and views with their ids. Slots and search texts are filled with the entries. */
export async function restoreSchema(tx: Tx, context: RestoreContext): Promise<SiteSchema> {
  const { siteId, file } = context;
  await context.copySheet(tx, SHEETS.types, 'entry_type');
  await context.copySheet(tx, SHEETS.fields, 'field', {
    computedColumns: {
      slot_state: (row) => (row['slot'] === null ? null : 'ready'),
      search_state: (row) => (row['is_searchable'] === 't' ? 'ready' : null),
    },
  });
  if (!file.manifest.isWholeSite && !context.isVerification)
    await sql`update field f set entry_lists = array(select t from unnest(entry_lists) as t
        join entry_type e on e.site_id = f.site_id and e.type_id = t order by t)
      where site_id = ${siteId} and entry_lists <> '{}'`.execute(tx);
  await context.copySheet(tx, SHEETS.choices, 'choice_value');
  await context.copySheet(tx, SHEETS.counters, 'field_counter');
  await context.copySheet(tx, SHEETS.calculations, 'field_job', {
    computedColumns: { job: () => 'calculate' },
  });
  await context.copySheet(tx, SHEETS.views, 'saved_view', {
    transform: (row) => (context.ids.user.has(Number(row['owner_id'])) ? row : undefined),
  });
  return loadSchema(tx, siteId);
}

/** Ids of the entries in the backup of some types, whose references may be dangling; undefined for a backup of the whole site. */
export async function collectEntryIds(
  { file, isVerification: isCheck }: RestoreContext,
  schema: SiteSchema,
): Promise<Set<number> | undefined> {
  if (file.manifest.isWholeSite || isCheck) return undefined;
  const knownIds = new Set<number>();
  for (const type of schema.types)
    for await (const rows of readRows(file, buildEntriesPath(type.apiName), getEntryHeader(type)))
      for (const [id] of rows) knownIds.add(Number(id));
  return knownIds;
}

const getEntryHeader = (type: EntryType): string[] => [
  'EntryId',
  'EntryVersion',
  ...sortFieldsById(type).map(({ apiName }) => apiName),
];

/** Restores the entries of a type with the columns and rows derived from their values. */
export async function restoreEntries(
  tx: Tx,
  context: RestoreContext,
  type: EntryType,
  knownIds: ReadonlySet<number> | undefined,
): Promise<void> {
  const { file, report, siteId } = context;
  const fields = sortFieldsById(type);
  let count = 0;
  for await (const rows of readRows(file, buildEntriesPath(type.apiName), getEntryHeader(type))) {
    const entries = rows.map((cells) => ({
      siteId,
      entryId: Number(cells[0]),
      vals: parseVals(context, fields, cells, knownIds),
      createdAt: new Date(0),
      createdBy: null,
    }));
    const { table, columns, rows: written } = toEntryRows(type, entries);
    const versions = rows.map((cells) => cells[1]);
    const texts = Array.from(written, (row, at) => [...row.map(encodeParameter), versions[at] ?? null]);
    await context.write(tx, table, [...columns, 'version'], texts);
    for (const tableRows of [toMultiRows(type, entries), toTextRows(type, entries)])
      await writeRows(tx, context, tableRows);
    count += rows.length;
  }
  report.entries[type.apiName] = count;
}

const writeRows = (tx: Tx, { write }: RestoreContext, { table, columns, rows }: TableRows): Promise<void> =>
  write(
    tx,
    table,
    columns,
    Array.from(rows, (row) => row.map(encodeParameter)),
  );

function parseVals(
  context: RestoreContext,
  fields: readonly SchemaField[],
  cells: CsvRow,
  knownIds: ReadonlySet<number> | undefined,
): StoredValues {
  const vals: Record<string, StoredValue> = {};
  for (const [at, field] of fields.entries()) {
    const cell = cells[at + 2] ?? null;
    if (cell === null) continue;
    const value = isStoredAsText(field)
      ? cell
      : mapValue(context, field, parseJsonCell(cell) as StoredValue, knownIds);
    if (value !== undefined) vals[field.id] = value;
  }
  return vals;
}

function parseJsonCell(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidBackupError('The file is damaged: a value is not valid JSON');
  }
}

/** The value with mapped user ids and without references to entries that are not in the backup. */
function mapValue(
  { ids, report }: RestoreContext,
  { fieldType }: SchemaField,
  value: StoredValue,
  knownIds: ReadonlySet<number> | undefined,
): StoredValue | undefined {
  if (fieldType === FIELD.user) return mapIds(value, (id) => ids.user.get(id));
  if (fieldType !== FIELD.reference || !knownIds) return value;
  return mapIds(value, (id) => {
    if (knownIds.has(id)) return id;
    report.droppedReferences += 1;
    return undefined;
  });
}

/** Maps one or several ids; undefined (no data) if none remains. */
function mapIds(value: StoredValue, map: (id: number) => number | undefined): StoredValue | undefined {
  if (typeof value === 'number') return map(value);
  if (!Array.isArray(value)) return value;
  const all = value.flatMap((id) => (typeof id === 'number' ? (map(id) ?? []) : []));
  return all.length > 0 ? all : undefined;
}

/** Restores the history of entries and of values, and the queue of calculations. */
export async function restoreHistory(tx: Tx, context: RestoreContext, schema: SiteSchema): Promise<void> {
  const { ids, report } = context;
  const userFields = new Set(
    [...schema.fieldsById.values()]
      .filter(({ fieldType }) => fieldType === FIELD.user)
      .map(({ id }) => String(id)),
  );
  const areIdsUnchanged = [...ids.user].every(([from, to]) => from === to);
  const mapLoggedValue = (text: string | null): string | null => {
    if (text === null) return null;
    const value = mapIds(parseJsonCell(text) as StoredValue, (id) => ids.user.get(id));
    return value === undefined ? null : JSON.stringify(value);
  };
  const mapLastVals = (text: string | null): string | null => {
    if (text === null) return null;
    const vals = Object.entries(parseJsonCell(text) as Record<string, StoredValue>).flatMap(([id, value]) => {
      const now = userFields.has(id) ? mapIds(value, (user) => ids.user.get(user)) : value;
      return now === undefined ? [] : [[id, now] as const];
    });
    return JSON.stringify(Object.fromEntries(vals));
  };
  await context.copySheet(tx, SHEETS.changes, 'entry_change', {
    transform: (row) =>
      areIdsUnchanged ? row : { ...row, last_vals: mapLastVals(row['last_vals'] ?? null) },
  });
  report.changes = await context.copySheet(tx, SHEETS.cells, 'cell_log', {
    transform: (row) =>
      areIdsUnchanged || !userFields.has(row['field_id'] ?? '')
        ? row
        : { ...row, old: mapLoggedValue(row['old'] ?? null), new: mapLoggedValue(row['new'] ?? null) },
  });
  await context.copySheet(tx, SHEETS.waiting, 'calc_queue');
}
