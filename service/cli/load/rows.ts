/** An entry as the rows of each table, as the write path stores them: what follows from values is worked out there. */
import { columnsOf, type EntryType, multiValues, searchedText, type Vals } from '../../areas/schema/index.ts';
import type { Piece } from './target.ts';

export interface Entry {
  siteId: number;
  entryId: number;
  vals: Vals;
  createdAt: Date;
  createdBy: number | null;
}

export function entryRows(type: EntryType, entries: Iterable<Entry>): Piece {
  const derived = Object.keys(columnsOf(type, {}));
  function* rows() {
    for (const { siteId, entryId, vals } of entries)
      yield [siteId, entryId, type.id, vals, ...Object.values(columnsOf(type, vals))];
  }
  return { table: 'entry', columns: ['site_id', 'entry_id', 'type_id', 'vals', ...derived], rows: rows() };
}

export function changeRows(type: EntryType, entries: readonly Entry[]): Piece {
  function* rows() {
    for (const { siteId, entryId, vals, createdAt: at, createdBy: by } of entries)
      yield [siteId, entryId, type.id, vals[type.key.id] ?? '', at, by, at, at, by];
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

export function multiRows({ fields }: EntryType, entries: readonly Entry[]): Piece {
  function* rows() {
    for (const field of fields)
      for (const { siteId, entryId, vals } of entries)
        for (const v of multiValues(vals[field.id], field)) yield [siteId, field.id, v, entryId];
  }
  return { table: 'entry_multi', columns: ['site_id', 'field_id', 'v', 'entry_id'], rows: rows() };
}

export function textRows({ fields }: EntryType, entries: readonly Entry[]): Piece {
  function* rows() {
    for (const field of fields)
      for (const { siteId, entryId, vals } of entries) {
        const v = searchedText(vals[field.id], field);
        if (v !== undefined) yield [siteId, field.id, entryId, v];
      }
  }
  return { table: 'entry_text', columns: ['site_id', 'field_id', 'entry_id', 'v'], rows: rows() };
}
