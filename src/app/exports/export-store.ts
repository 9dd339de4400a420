import type { SessionIdentity } from '../../api/session-state.ts';
import { createStore } from '../../ui/store.ts';
import { createJobStore } from '../jobs/job-store.ts';

/** Search parameters of the exported list. */
export type ListSearchParams = Readonly<Record<string, string | number>>;

/** Export made in this browser. */
export interface ExportRecord {
  id: string;
  identity: SessionIdentity;
  /** ISO timestamp. */
  startedAt: string;
  /** File name. */
  name: string;
  /** Subject in the activity report; absent in old records of users. */
  subject?: string;
  /** Search and filters as text. */
  filterText: string;
  /** Search parameters of the exported list; undefined if rows were selected one by one. */
  search: ListSearchParams | undefined;
  rows: number;
  /** 0 if no file was made. */
  sizeBytes: number;
  durationMs: number;
  state: 'done' | 'failed' | 'stopped';
  /** Reason why no file was made. */
  why?: string | undefined;
}

/** Record that tells whether its file is still stored. */
export interface StoredExportRecord extends ExportRecord {
  hasFile: boolean;
}

const jobStore = createJobStore<StoredExportRecord, Blob>('export');

/** Incremented with every change of the stored exports. */
export const exportsRevision = createStore(0);
const notifyChange = () => exportsRevision.set(exportsRevision.get() + 1);

/** Stores an export with its file and deletes what exceeds the limits. */
export async function saveExport(record: ExportRecord, file: Blob | undefined): Promise<void> {
  await jobStore.save({ ...record, hasFile: file !== undefined }, file ? [file] : []);
  await loadExports(record.identity);
  notifyChange();
}

/** Exports of the user on this site, newest first. */
export async function loadExports(
  identity: SessionIdentity,
  now = Date.now(),
): Promise<StoredExportRecord[]> {
  const all = (await jobStore.loadJobs(identity)).toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
  const { records, files } = findExpired(all, now);
  await Promise.all(all.filter(({ id }) => records.has(id)).map(({ id }) => jobStore.delete(id)));
  const left = all.filter(({ id }) => !records.has(id));
  return Promise.all(
    left.map(async (one) => {
      if (!files.has(one.id)) return one;
      await jobStore.deleteItems(one.id);
      const without = { ...one, hasFile: false };
      await jobStore.save(without, []);
      return without;
    }),
  );
}

/** File of an export; undefined if it was deleted. */
export const loadExportFile = async (id: string): Promise<Blob | undefined> =>
  (await jobStore.loadItems(id)).at(0);

/** Deletes an export and its file. */
export async function deleteExport(id: string): Promise<void> {
  await jobStore.delete(id);
  notifyChange();
}

const DAY_MS = 86_400_000;

/** Limits of stored exports, shown on the page. */
export const RECORD_DAYS = 30;
export const FILE_DAYS = 7;
export const MAX_STORED_BYTES = 200_000_000;

interface StoredExport {
  id: string;
  startedAt: string;
  sizeBytes: number;
  hasFile: boolean;
}

/** Records and files that exceed the limits; `exports` are sorted newest first. */
export function findExpired(
  exports: readonly StoredExport[],
  now: number,
): { records: Set<string>; files: Set<string> } {
  const records = new Set<string>();
  const files = new Set<string>();
  let bytes = 0;
  for (const { id, startedAt, sizeBytes, hasFile } of exports) {
    const age = now - Date.parse(startedAt);
    if (age > RECORD_DAYS * DAY_MS) records.add(id);
    else if (hasFile) {
      if (age > FILE_DAYS * DAY_MS || bytes + sizeBytes > MAX_STORED_BYTES) files.add(id);
      else bytes += sizeBytes;
    }
  }
  return { records, files };
}
