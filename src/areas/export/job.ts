import { wrap } from 'comlink';
import { toServiceError } from '../../api/errors.ts';
import { visitor } from '../../directory/visitor.ts';
import { count } from '../../lib/numbers.ts';
import { startWorker, whileAlive } from '../../lib/start-worker.ts';
import { reportJob } from '../../app/jobs/jobs.ts';
import { toast } from '../../ui/feedback/toast.ts';
import { fetchAgain } from './fetch-again.ts';
import { fileName } from '../../files/file-name.ts';
import { handOver } from './hand-over.ts';
import { keepExport } from './keep.ts';
import type { ExportRecord } from './keep.ts';
import type { ExportSource } from './source.ts';
import type { ExportWorker } from '../../files/write-worker.ts';
// The bundler makes this module.
// oxlint-disable-next-line import/default
import workerUrl from '../../files/write-worker.ts?worker&url';
import type { Format } from '../../files/writer.ts';

/** From here on it is told in the tray. */
const LARGE = 5000;

const CHOSEN = 'Chosen one by one';

const ignore = () => undefined;

/** Writes the file and saves it: a small one at once, a large one as a job that can be stopped. */
export async function runExport(source: ExportSource, format: Format): Promise<void> {
  const { total, words, subject, filter, search } = source;
  const id = crypto.randomUUID();
  const { holder } = await visitor();
  const begun = Date.now();
  const title = `Export ${words(total)} as ${format.toUpperCase()}`;
  const inTray = total >= LARGE || source.slow === true;
  const stopping = new AbortController();
  const pausing = createPause();
  const name = fileName(subject, filter, format);
  const show = (done: number) => {
    if (!inTray) return;
    const isPaused = pausing.isPaused();
    const turn = () => {
      pausing.turn();
      show(done);
    };
    const actions = [
      { label: isPaused ? 'Continue' : 'Pause', onSelect: turn },
      { label: 'Stop', onSelect: () => stopping.abort() },
    ];
    const result = `${isPaused ? 'Paused at ' : ''}${count(done)} of ${count(total)}`;
    reportJob({ id, title, state: 'running', progress: total === 0 ? 1 : done / total, result, actions });
  };
  const keep = (end: Pick<ExportRecord, 'state' | 'rows' | 'why'>, file?: Blob) => {
    const at = new Date(begun).toISOString();
    const what = { id, holder, name, subject, query: filter ?? CHOSEN, search, at };
    // A browser that keeps nothing lists nothing.
    void keepExport({ ...what, ...end, size: file?.size ?? 0, took: Date.now() - begun }, file).catch(ignore);
  };
  try {
    show(0);
    const { blob, written } = await write(source, { format, show, signal: stopping.signal, pausing });
    await handOver(subject, { name, rows: written }, blob);
    keep({ state: 'done', rows: written }, blob);
    const left = total - written;
    const result = `${words(written)} in ${name}${left > 0 ? `, ${count(left)} gone meanwhile` : ''}`;
    const saveAgain = () => void fetchAgain({ name, subject, rows: written }, () => Promise.resolve(blob));
    const actions = [{ label: 'Save again', onSelect: saveAgain }];
    if (inTray) reportJob({ id, title, state: 'done', result, actions });
    else toast({ title: `${words(written)} exported`, description: name });
  } catch (thrown) {
    const why = toServiceError(thrown).message;
    const isStopped = stopping.signal.aborted;
    keep({ state: isStopped ? 'stopped' : 'failed', rows: 0, ...(!isStopped && { why }) });
    if (!inTray) toast({ title: 'The export failed', description: why, tone: 'bad' });
    else if (isStopped) reportJob({ id, title, state: 'stopped', result: 'No file was made' });
    else {
      const actions = [{ label: 'Try again', onSelect: () => void runExport(source, format) }];
      reportJob({ id, title, state: 'failed', result: `No file was made: ${why}`, actions });
    }
  }
}

interface Writing {
  format: Format;
  show: (done: number) => void;
  signal: AbortSignal;
  pausing: Pause;
}

async function write(source: ExportSource, { format, show, signal, pausing }: Writing) {
  const { columns, sheet, total, note, filter = CHOSEN } = source;
  const worker = startWorker(workerUrl);
  try {
    const file = wrap<ExportWorker>(worker);
    const alive = whileAlive(worker);
    await alive(file.begin({ format, columns, sheet, filter, note, made: new Date() }));
    let written = 0;
    for await (const rows of source.portions(signal)) {
      signal.throwIfAborted();
      await alive(file.add(rows));
      written += rows.length;
      show(Math.min(written, total));
      // oxlint-disable-next-line no-await-in-loop -- what is paused waits here
      await pausing.passed(signal);
    }
    const blob = await alive(file.end());
    if (!blob) throw new Error('No file was begun');
    return { blob, written };
  } finally {
    worker.terminate();
  }
}

/** Holds up what goes on step by step. */
interface Pause {
  isPaused: () => boolean;
  /** Pauses what goes on, lets go on what is paused. */
  turn: () => void;
  /** Waits while it is paused. @throws the reason of the signal, when that says so */
  passed: (signal: AbortSignal) => Promise<void>;
}

function createPause(): Pause {
  let gate: PromiseWithResolvers<void> | undefined;
  return {
    isPaused: () => gate !== undefined,
    turn() {
      gate?.resolve();
      gate = gate ? undefined : Promise.withResolvers<void>();
    },
    async passed(signal) {
      if (gate) {
        const stop = () => gate?.resolve();
        signal.addEventListener('abort', stop);
        await gate.promise;
        signal.removeEventListener('abort', stop);
      }
      signal.throwIfAborted();
    },
  };
}
