/** Reads the values that a report shows, as of one moment and with the rights of a user. */
import { buffer } from 'node:stream/consumers';
import type {
  FieldValue,
  FieldValueItem,
  FileValueVm,
  RowVm,
} from '../../../contract/generated/types.gen.ts';
import { FIELD, isFileField } from '../../../contract/rules/schema/fields.ts';
import { isFile, isMoney, isNamed, toItems } from '../../../contract/rules/schema/values.ts';
import { conflict } from '../../kernel/api-error.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { BlobStore } from '../../kernel/files/blob-store.ts';
import {
  createExportResolver,
  findFileHashes,
  getContentName,
  withExportSnapshot,
  type ExportSnapshot,
} from '../entries/index.ts';
import type { EntryType, SchemaField } from '../schema/index.ts';
import type { UsedField } from './language/check.ts';
import { listItems, type ReportPicture, type ReportRecord, type ReportValue } from './language/values.ts';

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

interface ReportSource {
  db: Db;
  caller: Caller;
  /** Store of the contents of files. */
  blobs: BlobStore;
}

/**
 * Opens the data of a report and passes them to `work`.
 * @throws ApiError 400 where the selection does not fit the schema
 */
export async function withReportData<T>(
  { db, caller, blobs }: ReportSource,
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
      pages: () =>
        readEntries(snapshot, {
          keyField: type.keyField,
          fields,
          entryIds,
          readPictures: (files) => readPictures({ db, caller, blobs }, files),
        }),
    }),
  );
}

/** What an entry of a report is built from. */
interface RecordSource {
  keyField: SchemaField;
  fields: readonly UsedField[];
  entryIds: readonly number[] | undefined;
  readPictures: (files: readonly FileValueVm[]) => Promise<Pictures>;
}

async function* readEntries(
  snapshot: ExportSnapshot,
  source: RecordSource,
): AsyncGenerator<readonly ReportEntry[]> {
  const { entryIds } = source;
  const selected = new Map<number, RowVm>();
  for await (const { rows } of snapshot.pages()) {
    if (!entryIds) yield* buildEntries(snapshot, source, rows);
    else for (const row of rows) selected.set(row.EntryId, row);
  }
  if (entryIds)
    yield* buildEntries(
      snapshot,
      source,
      entryIds.flatMap((id) => selected.get(id) ?? []),
    );
}

/** Entries with pictures are few at a time, because their contents are in memory. */
const ROWS_WITH_PICTURES = 20;

async function* buildEntries(
  snapshot: ExportSnapshot,
  { keyField, fields, readPictures: read }: RecordSource,
  all: readonly RowVm[],
): AsyncGenerator<readonly ReportEntry[]> {
  const size = fields.some(({ isPicture }) => isPicture) ? ROWS_WITH_PICTURES : Math.max(all.length, 1);
  for (let from = 0; from < all.length; from += size) {
    const rows = all.slice(from, from + size);
    const referenced = await readReferenced(snapshot, rows, fields);
    const pictures = await read(listPictures(rows, fields, referenced));
    yield rows.map((row): ReportEntry => {
      const name = row[keyField.apiName];
      return {
        id: row.EntryId,
        name: typeof name === 'string' ? name : String(row.EntryId),
        record: buildRecord(row, fields, { referenced, pictures }),
      };
    });
  }
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

/** Contents of images by the id of their file. */
type Pictures = ReadonlyMap<number, Pick<ReportPicture, 'sha256' | 'bytes'>>;
const NO_PICTURES: Pictures = new Map();

/** Bytes of different pictures of a document, or of some documents that are filled together. */
const MAX_PICTURE_BYTES = 64 * 2 ** 20;

/** @throws ApiError 409 for more bytes than a document can hold */
export function requirePictureBytes(bytes: number): void {
  if (bytes > MAX_PICTURE_BYTES)
    throw conflict(
      `The pictures of the report have more than ${MAX_PICTURE_BYTES / 2 ** 20} MiB. Use smaller images, or fewer entries.`,
    );
}

/** The images that pictures show: the first of each field. */
const listPictures = (
  rows: readonly RowVm[],
  fields: readonly UsedField[],
  referenced: ReadonlyMap<number, RowVm>,
): FileValueVm[] =>
  fields
    .filter(({ isPicture }) => isPicture)
    .flatMap(({ field, via }) =>
      (via ? [...referenced.values()] : rows).flatMap((row) => toItems(row[field.apiName]).slice(0, 1)),
    )
    .filter(isFile);

async function readPictures(
  { db, caller, blobs }: ReportSource,
  files: readonly FileValueVm[],
): Promise<Pictures> {
  const pictures = new Map<number, Pick<ReportPicture, 'sha256' | 'bytes'>>();
  const sizes = new Map(files.map(({ id, size }) => [id, size]));
  requirePictureBytes([...sizes.values()].reduce((sum, size) => sum + size, 0));
  const hashes = await findFileHashes(db, caller.siteId, [...sizes.keys()]);
  for (const [id, hash] of hashes)
    pictures.set(id, {
      sha256: hash.toString('hex'),
      bytes: await buffer(await blobs.read(getContentName(hash))),
    });
  return pictures;
}

function buildRecord(
  row: RowVm,
  fields: readonly UsedField[],
  { referenced, pictures }: { referenced: ReadonlyMap<number, RowVm>; pictures: Pictures },
): ReportRecord {
  const record: Record<string, ReportValue> = { entryid: { kind: 'number', value: row.EntryId } };
  for (const { path, field, via, isPicture } of fields) {
    const key = path.toLowerCase();
    const shown = isPicture ? pictures : NO_PICTURES;
    if (!via) {
      const value = toValue(field, row[field.apiName], shown);
      if (value) record[key] = value;
      continue;
    }
    const values = toItems(row[via.apiName]).flatMap((item) => {
      // Several types can have a field of this name.
      if (!isNamed(item) || item.entryListId !== field.typeId) return [];
      return toValue(field, referenced.get(item.id)?.[field.apiName], shown) ?? [];
    });
    const known = record[key];
    const all = [...(known ? listItems(known) : []), ...values];
    const [first] = all;
    if (first) record[key] = via.isMultiSelect ? { kind: 'list', items: all } : first;
  }
  return record;
}

/** Value of a field in the form of reports; undefined without one. */
function toValue(
  field: SchemaField,
  value: FieldValue | undefined,
  pictures: Pictures,
): ReportValue | undefined {
  const items = toItems(value).flatMap((item) => toItem(field, item, pictures) ?? []);
  if (items.length === 0) return undefined;
  return field.isMultiSelect ? { kind: 'list', items } : items[0];
}

function toItem(field: SchemaField, item: FieldValueItem, pictures: Pictures): ReportValue | undefined {
  if (item === null) return undefined;
  if (isFileField(field.fieldType)) {
    if (!isFile(item)) return undefined;
    const content = pictures.get(item.id);
    return content
      ? { kind: 'picture', name: item.name, type: item.contentType, ...content }
      : { kind: 'text', text: item.name };
  }
  if (isMoney(item)) return { kind: 'money', value: item.value, currency: item.currencyCode };
  if (isNamed(item)) return { kind: 'text', text: item.name };
  if (typeof item === 'boolean') return { kind: 'boolean', value: item };
  if (typeof item === 'number') return { kind: 'number', value: item };
  if (typeof item !== 'string') return undefined;
  if (field.fieldType !== FIELD.date) return { kind: 'text', text: item };
  return field.isDateOnly ? { kind: 'day', day: item.slice(0, 10) } : { kind: 'moment', at: item };
}
