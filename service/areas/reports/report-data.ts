/** Reads the values that a report shows, as of one moment and with the rights of a user. */
import type { FieldValue, FieldValueItem, RowVm } from '../../../contract/generated/types.gen.ts';
import { FIELD, isFileField } from '../../../contract/rules/fields.ts';
import { isFile, isMoney, isNamed, toItems } from '../../../contract/rules/values.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import type { Db } from '../../kernel/db/database.ts';
import { createExportResolver, withExportSnapshot, type ExportSnapshot } from '../entries/index.ts';
import type { EntryType, SchemaField } from '../schema/index.ts';
import type { UsedField } from './language/check.ts';
import type { ReportRecord, ReportValue } from './language/values.ts';

/** Which entries a report shows. */
export interface Selection {
  /** In the order of the report; otherwise those of the query. */
  entryIds: readonly number[] | undefined;
  query?: Readonly<Record<string, unknown>> | string | undefined;
  orderBy?: string | undefined;
  /** The entries and values as of this time. */
  asOf?: string | undefined;
}

/** An entry of a report. */
export interface ReportEntry {
  id: number;
  name: string;
  record: ReportRecord;
}

/** The entries of a report as of one moment. */
export interface ReportData {
  at: Date;
  total: number;
  pages(): AsyncGenerator<readonly ReportEntry[]>;
}

/**
 * Opens the data of a report and passes them to `work`.
 * @throws ApiError 400 where the selection does not fit the schema
 */
export async function withReportData<T>(
  { db, caller }: { db: Db; caller: Caller },
  { type, fields, selection }: { type: EntryType; fields: readonly UsedField[]; selection: Selection },
  work: (data: ReportData) => Promise<T>,
): Promise<T> {
  const { entryIds, asOf } = selection;
  const names = new Set([type.keyField.apiName, ...fields.map(({ field, via }) => (via ?? field).apiName)]);
  const resolve = await createExportResolver(db, caller, {
    entryType: String(type.id),
    fields: [...names],
    ...(entryIds ? { query: { EntryId: { $in: [...entryIds] } } } : { query: selection.query ?? {} }),
    ...(selection.orderBy !== undefined && !entryIds && { orderBy: selection.orderBy }),
    ...(asOf !== undefined && { asOf }),
  });
  return withExportSnapshot(db, caller.siteId, resolve, (snapshot) =>
    work({
      at: snapshot.request.asOf?.at ?? snapshot.at,
      total: snapshot.total,
      pages: () => readEntries(snapshot, { keyField: type.keyField, fields, entryIds }),
    }),
  );
}

async function* readEntries(
  snapshot: ExportSnapshot,
  {
    keyField,
    fields,
    entryIds,
  }: { keyField: SchemaField; fields: readonly UsedField[]; entryIds: readonly number[] | undefined },
): AsyncGenerator<readonly ReportEntry[]> {
  const ordered = new Map<number, ReportEntry>();
  for await (const { rows } of snapshot.pages()) {
    const referenced = await readReferenced(snapshot, rows, fields);
    const entries = rows.map((row): ReportEntry => {
      const name = row[keyField.apiName];
      return {
        id: row.EntryId,
        name: typeof name === 'string' ? name : String(row.EntryId),
        record: buildRecord(row, fields, referenced),
      };
    });
    if (!entryIds) yield entries;
    else for (const entry of entries) ordered.set(entry.id, entry);
  }
  if (entryIds) yield entryIds.flatMap((id) => ordered.get(id) ?? []);
}

/** Rows of the entries to which rows refer, by id. */
async function readReferenced(
  snapshot: ExportSnapshot,
  rows: readonly RowVm[],
  fields: readonly UsedField[],
): Promise<ReadonlyMap<number, RowVm>> {
  const steps = fields.filter(({ via }) => via);
  const idsByType = new Map<number, Set<number>>();
  for (const name of new Set(steps.flatMap(({ via }) => via?.apiName ?? [])))
    for (const row of rows)
      for (const item of toItems(row[name]))
        if (isNamed(item) && item.entryListId !== undefined) {
          const ids = idsByType.get(item.entryListId) ?? new Set();
          idsByType.set(item.entryListId, ids.add(item.id));
        }
  const found = new Map<number, RowVm>();
  for (const [typeId, ids] of idsByType) {
    const read = [...new Set(steps.flatMap(({ field }) => (field.typeId === typeId ? field : [])))];
    if (read.length === 0) continue;
    for (const row of await snapshot.readEntries(
      [...ids].toSorted((one, other) => one - other),
      read,
    ))
      found.set(row.EntryId, row);
  }
  return found;
}

function buildRecord(
  row: RowVm,
  fields: readonly UsedField[],
  referenced: ReadonlyMap<number, RowVm>,
): ReportRecord {
  const record: Record<string, ReportValue> = { entryid: { kind: 'number', value: row.EntryId } };
  for (const { path, field, via } of fields) {
    const key = path.toLowerCase();
    if (!via) {
      const value = toValue(field, row[field.apiName]);
      if (value) record[key] = value;
      continue;
    }
    const values = toItems(row[via.apiName]).flatMap((item) => {
      // Several types can have a field of this name.
      if (!isNamed(item) || item.entryListId !== field.typeId) return [];
      return toValue(field, referenced.get(item.id)?.[field.apiName]) ?? [];
    });
    const known = record[key];
    const all = [...(known ? (known.kind === 'list' ? known.items : [known]) : []), ...values];
    const [first] = all;
    if (first) record[key] = via.isMultiSelect ? { kind: 'list', items: all } : first;
  }
  return record;
}

/** Value of a field in the form of reports; undefined without one. */
function toValue(field: SchemaField, value: FieldValue | undefined): ReportValue | undefined {
  const items = toItems(value).flatMap((item) => toItem(field, item) ?? []);
  if (items.length === 0) return undefined;
  return field.isMultiSelect ? { kind: 'list', items } : items[0];
}

function toItem(field: SchemaField, item: FieldValueItem): ReportValue | undefined {
  if (item === null) return undefined;
  if (isFileField(field.fieldType)) return isFile(item) ? { kind: 'text', text: item.name } : undefined;
  if (isMoney(item)) return { kind: 'money', value: item.value, currency: item.currencyCode };
  if (isNamed(item)) return { kind: 'text', text: item.name };
  if (typeof item === 'boolean') return { kind: 'boolean', value: item };
  if (typeof item === 'number') return { kind: 'number', value: item };
  if (typeof item !== 'string') return undefined;
  if (field.fieldType !== FIELD.date) return { kind: 'text', text: item };
  return field.isDateOnly ? { kind: 'day', day: item.slice(0, 10) } : { kind: 'moment', at: item };
}
