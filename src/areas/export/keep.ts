import type { Holder } from '../../api/session-gate.ts';
import { createShelf } from '../../app/jobs/shelf.ts';
import { createStore } from '../../ui/store.ts';
import { toDrop } from './limits.ts';

/** The search of the list that was exported, as its address says it. */
export type ListSearch = Readonly<Record<string, string | number>>;

/** An export of this browser. */
export interface ExportRecord {
  id: string;
  holder: Holder;
  /** When it was begun. */
  at: string;
  /** Of the file. */
  name: string;
  /** What it was recorded as; absent in records of people from before there was anything else. */
  subject?: string;
  /** What was asked for, in words. */
  query: string;
  /** The list that was exported; undefined where people were chosen one by one. */
  search: ListSearch | undefined;
  rows: number;
  /** In bytes; 0 where no file was made. */
  size: number;
  /** In milliseconds. */
  took: number;
  state: 'done' | 'failed' | 'stopped';
  /** Why no file was made. */
  why?: string | undefined;
}

/** A record with whether its file is still kept. */
export interface KeptExport extends ExportRecord {
  isFileKept: boolean;
}

const shelf = createShelf<KeptExport, Blob>('export');

/** Grows with every change of what is kept here. */
export const exportsChanged = createStore(0);
const noteChange = () => exportsChanged.set(exportsChanged.get() + 1);

/** Keeps the record of an export with its file; what is beyond the limits goes. */
export async function keepExport(record: ExportRecord, file: Blob | undefined): Promise<void> {
  await shelf.put({ ...record, isFileKept: file !== undefined }, file ? [file] : []);
  await keptExports(record.holder);
  noteChange();
}

/** The exports of this person and site, the latest first. */
export async function keptExports(holder: Holder, now = Date.now()): Promise<KeptExport[]> {
  const all = (await shelf.jobs(holder)).toSorted((a, b) => b.at.localeCompare(a.at));
  const { records, files } = toDrop(all, now);
  await Promise.all(all.filter(({ id }) => records.has(id)).map(({ id }) => shelf.drop(id)));
  const left = all.filter(({ id }) => !records.has(id));
  return Promise.all(
    left.map(async (one) => {
      if (!files.has(one.id)) return one;
      await shelf.dropItems(one.id);
      const without = { ...one, isFileKept: false };
      await shelf.put(without, []);
      return without;
    }),
  );
}

/** The file of an export, while it is kept. */
export const fileOf = async (id: string): Promise<Blob | undefined> => (await shelf.items(id)).at(0);

/** Forgets an export and its file. */
export async function dropExport(id: string): Promise<void> {
  await shelf.drop(id);
  noteChange();
}
