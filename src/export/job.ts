import { wrap } from 'comlink';
import { toServiceError } from '../api/errors.ts';
import { getUsersByIds } from '../api/generated/sdk.gen.ts';
import { rowsOf } from '../directory/directory.ts';
import { readEveryGroup } from '../directory/groups.ts';
import { visitor } from '../directory/visitor.ts';
import { count, counted } from '../lib/numbers.ts';
import { startWorker } from '../lib/start-worker.ts';
import { reportJob } from '../shell/jobs.ts';
import { toast } from '../ui/feedback/toast.ts';
import type { ExportRow, GroupNames } from './columns.ts';
import { fileName } from './file-name.ts';
import { handOver, SUBJECT } from './hand-over.ts';
import { keepExport } from './keep.ts';
import type { ExportRecord, ListSearch } from './keep.ts';
import type { ExportWorker } from './worker.ts';
// The bundler makes this module.
// oxlint-disable-next-line import/default
import workerUrl from './worker.ts?worker&url';
import type { Format } from './writer.ts';

export interface ExportOrder {
  userIds: readonly number[];
  filter: string | undefined;
  search: ListSearch | undefined;
  format: Format;
  federation: boolean;
}

// The service takes so many ids at once, and so many rows pass to a worker without a pause that anybody feels.
const PORTION = 1000;
/** From here on it is told in the tray. */
const LARGE = 5000;

const CHOSEN = 'Chosen one by one';

const ignore = () => undefined;
const people = (number: number) => counted(number, 'person', 'people');

/** Writes the file and saves it: a small one at once, a large one as a job that can be stopped. */
export async function runExport(order: ExportOrder): Promise<void> {
  const id = crypto.randomUUID();
  const { holder } = await visitor();
  const begun = Date.now();
  const total = order.userIds.length;
  const title = `Export ${people(total)} as ${order.format.toUpperCase()}`;
  const inTray = total >= LARGE || order.federation;
  const stopping = new AbortController();
  const name = fileName(order.filter, order.format);
  const show = (done: number) => {
    if (!inTray) return;
    const actions = [{ label: 'Stop', onSelect: () => stopping.abort() }];
    const result = `${count(done)} of ${count(total)}`;
    reportJob({ id, title, state: 'running', progress: done / total, result, actions });
  };
  const keep = (end: Pick<ExportRecord, 'state' | 'rows' | 'why'>, file?: Blob) => {
    const { filter = CHOSEN, search } = order;
    const what = { id, holder, name, query: filter, search, at: new Date(begun).toISOString() };
    // A browser that keeps nothing lists nothing.
    void keepExport({ ...what, ...end, size: file?.size ?? 0, took: Date.now() - begun }, file).catch(ignore);
  };
  try {
    show(0);
    const { blob, written } = await write(order, show, stopping.signal);
    await handOver(SUBJECT, { name, rows: written }, blob);
    keep({ state: 'done', rows: written }, blob);
    const left = total - written;
    const result = `${people(written)} in ${name}${left > 0 ? `, ${count(left)} gone meanwhile` : ''}`;
    if (inTray) reportJob({ id, title, state: 'done', result });
    else toast({ title: `${people(written)} exported`, description: name });
  } catch (thrown) {
    const why = toServiceError(thrown).message;
    const isStopped = stopping.signal.aborted;
    keep({ state: isStopped ? 'stopped' : 'failed', rows: 0, ...(!isStopped && { why }) });
    if (!inTray) toast({ title: 'The export failed', description: why, tone: 'bad' });
    else if (isStopped) reportJob({ id, title, state: 'stopped', result: 'No file was made' });
    else
      reportJob({ id, title, state: 'failed', result: `No file was made: ${why}`, actions: [again(order)] });
  }
}

const again = (order: ExportOrder) => ({ label: 'Try again', onSelect: () => void runExport(order) });

async function write(order: ExportOrder, show: (done: number) => void, signal: AbortSignal) {
  const { userIds, filter = CHOSEN, format, federation } = order;
  const worker = startWorker(workerUrl);
  try {
    const file = wrap<ExportWorker>(worker);
    await file.begin({ format, groups: await groupNames(), federation, filter, made: new Date() });
    let written = 0;
    for (let at = 0; at < userIds.length; at += PORTION) {
      signal.throwIfAborted();
      // A portion at a time: all at once would stop the page.
      // oxlint-disable-next-line no-await-in-loop
      const rows = await read(userIds.slice(at, at + PORTION), federation, signal);
      // oxlint-disable-next-line no-await-in-loop
      await file.add(rows);
      written += rows.length;
      show(Math.min(at + PORTION, userIds.length));
    }
    const blob = await file.end();
    if (!blob) throw new Error('No file was begun');
    return { blob, written };
  } finally {
    worker.terminate();
  }
}

async function read(ids: readonly number[], federation: boolean, signal: AbortSignal): Promise<ExportRow[]> {
  const rows = await rowsOf(ids);
  if (!federation) return rows.map((row) => slim(row));
  const { data } = await getUsersByIds({ body: [...ids], signal });
  const known = new Map(data.map((user) => [user.id, user.federationId ?? undefined]));
  return rows.map((row) => slim(row, known.get(row.id)));
}

/** What a file tells, without what only search needs. */
function slim(row: ExportRow, federationId?: string): ExportRow {
  const { id, email, firstName, lastName, isActive, licenseTypeId, groups } = row;
  const { twoFactor, approvedAddresses, created, modified } = row;
  const base = { id, email, firstName, lastName, isActive, licenseTypeId, groups };
  return { ...base, twoFactor, approvedAddresses, created, modified, federationId };
}

const groupNames = async (): Promise<GroupNames> =>
  new Map((await readEveryGroup()).map(({ id, name }) => [id, name]));
