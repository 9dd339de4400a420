/** Converts entries to the rows of each table, with the derived columns that the write path of the service computes. */
import {
  buildEntryColumns,
  type EntryType,
  toMultiValues,
  toSearchText,
  type StoredValues,
} from '../../areas/schema/index.ts';
import type { TableRows } from './target.ts';

export interface LoadedEntry {
  siteId: number;
  entryId: number;
  vals: StoredValues;
  createdAt: Date;
  createdBy: number | null;
}

export function toEntryRows(type: EntryType, entries: Iterable<LoadedEntry>): TableRows {
  const derived = Object.keys(buildEntryColumns(type, {}));
  function* rows() {
    for (const { siteId, entryId, vals } of entries)
      yield [siteId, entryId, type.id, vals, ...Object.values(buildEntryColumns(type, vals))];
  }
  return { table: 'entry', columns: ['site_id', 'entry_id', 'type_id', 'vals', ...derived], rows: rows() };
}

export function toEntryChangeRows(type: EntryType, entries: readonly LoadedEntry[]): TableRows {
  function* rows() {
    for (const { siteId, entryId, vals, createdAt: at, createdBy: by } of entries)
      yield [siteId, entryId, type.id, vals[type.keyField.id] ?? '', at, by, at, at, by];
  }
  const columns = [
    'site_id',
    'entry_id',
    'type_id',
    'name',
    'created_at',
    'created_by',
    'direct_at',
    'any_at',
    'modified_by',
  ];
  return { table: 'entry_change', columns, rows: rows() };
}

export function toMultiRows({ fields }: EntryType, entries: readonly LoadedEntry[]): TableRows {
  function* rows() {
    for (const field of fields)
      for (const { siteId, entryId, vals } of entries)
        for (const v of toMultiValues(vals[field.id], field)) yield [siteId, field.id, v, entryId];
  }
  return { table: 'entry_multi', columns: ['site_id', 'field_id', 'v', 'entry_id'], rows: rows() };
}

export function toTextRows({ fields }: EntryType, entries: readonly LoadedEntry[]): TableRows {
  function* rows() {
    for (const field of fields)
      for (const { siteId, entryId, vals } of entries) {
        const v = toSearchText(vals[field.id], field);
        if (v !== undefined) yield [siteId, field.id, entryId, v];
      }
  }
  return { table: 'entry_text', columns: ['site_id', 'field_id', 'entry_id', 'v'], rows: rows() };
}
