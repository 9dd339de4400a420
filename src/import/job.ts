import type { QueryClient } from '@tanstack/react-query';
import { markStale } from '../api/effects.ts';
import { toServiceError } from '../api/errors.ts';
import { releaseJob, takeJob } from '../bulk/lock.ts';
import { count, counted } from '../lib/numbers.ts';
import { createRun } from '../lib/run.ts';
import type { Run } from '../lib/run.ts';
import { reportJob } from '../shell/jobs.ts';
import type { Job } from '../shell/jobs.ts';
import { createStore, useStore } from '../ui/store.ts';
import { begin, dropImport, keepImport, noteRows, resumed } from './keep.ts';
import type { About, ImportJob, RowNote, RowResult } from './keep.ts';
import { performerFor } from './performer.ts';
import type { Performer } from './performer.ts';
import type { Planned } from './plan.ts';
import { saveFailed, saveReport } from './report.ts';

/** An import that was agreed to, as the page and the tray follow it. */
export interface ImportRun {
  id: string;
  about: About;
  fileName: string;
  headings: readonly string[];
  state: Job['state'];
  rows: readonly Planned[];
  /** The rows as they stand in the file. */
  cells: ReadonlyMap<number, readonly string[]>;
  results: ReadonlyMap<number, RowResult>;
  /** Why it has stopped by itself. */
  trouble: string | undefined;
  stop: () => void;
  goOn: () => void;
}

const runs = createStore<Readonly<Record<string, ImportRun | undefined>>>({});

/** The import of a place in this tab, running or ended; it outlives its page. */
export const useImportRun = (place: string): ImportRun | undefined => useStore(runs)[place];
export const importRun = (place: string): ImportRun | undefined => runs.get()[place];

/** Takes an import off its page; what came of it is still in the tray. */
export const leaveImport = (place: string): void => runs.set({ ...runs.get(), [place]: undefined });

// Often enough to be followed, seldom enough not to be felt.
const SHOW_EVERY = 100;
const KEEP_EVERY = 50;

const ignore = () => undefined;

/** Begins what was agreed to. It is kept first, so that a reload in the first moment loses nothing. */
export async function startImport(client: QueryClient, job: ImportJob): Promise<void> {
  await takeJob(job.id);
  // Where the browser keeps nothing (a private window, a full disk), the import ends with its page.
  await keepImport(job).catch(ignore);
  createImport(client, job).goOn();
}

/**
 * An import as a job in the tray, which can be stopped and continued. `notes`: what came of it until the page was
 * loaded anew.
 */
export function createImport(client: QueryClient, job: ImportJob, notes: readonly RowNote[] = []) {
  const { id, about, fileName, headings } = job;
  const rows = job.rows.map(({ plan }) => plan);
  const cells = new Map(job.rows.map((one) => [one.plan.row, one.cells]));
  const { results, progress } = resumed(rows, notes);
  const made = new Set([...results.values()].flatMap((one) => one.id ?? []));
  let current: Run<readonly Planned[]> | undefined;
  let shown = 0;
  let unkept: RowNote[] = [];

  const stop = () => current?.stop();

  function show(state: Job['state'], trouble?: string): void {
    shown = performance.now();
    // A new object tells those who follow that the results have grown.
    const run = { id, about, fileName, headings, state, rows, cells, results, trouble, stop, goOn };
    const before = importRun(about.place);
    if (!before || before.id === id || state === 'running') runs.set({ ...runs.get(), [about.place]: run });
    reportJob(tell(run));
  }

  /** Before the call: after a reload nobody could tell what was created by it. */
  async function noteCreations(piece: readonly Planned[], above: number | undefined): Promise<void> {
    const creations: RowNote[] = [];
    for (const plan of piece) {
      const far = progress.get(plan.row) ?? begin(plan);
      progress.set(plan.row, far);
      far.above ??= above;
      if (plan.outcome === 'create' && far.id === undefined)
        creations.push({ row: plan.row, creating: true, above: far.above });
    }
    if (creations.length > 0) await noteRows(id, creations).catch(ignore);
  }

  async function act(piece: readonly Planned[], { perform }: Performer, above?: number): Promise<void> {
    await noteCreations(piece, above);
    const came = await perform({ rows: piece, progress, made });
    for (const [row, result] of came) {
      results.set(row, result);
      if (result.id !== undefined) made.add(result.id);
      unkept.push({ row, result });
    }
    // What was refused must not be taken for done, whatever is lost.
    if (unkept.length >= KEEP_EVERY || [...came.values()].some(({ result }) => result !== 'done')) keep();
  }

  function keep(): void {
    if (unkept.length > 0) void noteRows(id, unkept).catch(ignore);
    unkept = [];
  }

  /** Sends what is left, until all is done, it is stopped, or the service does not answer. */
  async function send(): Promise<void> {
    const performer = await performerFor(about);
    const above = await performer.mark?.();
    let trouble: unknown;
    const run = createRun(performer.pieces(rows.filter(({ row }) => !results.has(row))), {
      atOnce: performer.atOnce,
      act: (piece) => act(piece, performer, above),
      onStep() {
        trouble ??= run.outcomes().at(-1)?.error;
        if (trouble !== undefined) run.stop();
        if (performance.now() - shown > SHOW_EVERY) show('running');
      },
    });
    current = run;
    await run.go();
    keep();
    await Promise.all(performer.effects.map((effect) => markStale(client, effect)));
    if (trouble !== undefined) throw toServiceError(trouble);
  }

  async function go(): Promise<void> {
    show('running');
    try {
      await send();
      showEnd();
    } catch (thrown) {
      showEnd(toServiceError(thrown).message);
    }
  }

  function showEnd(trouble?: string): void {
    const left = results.size < rows.length;
    const failed = [...results.values()].some(({ result }) => result !== 'done');
    show(left ? 'stopped' : failed ? 'failed' : 'done', trouble);
  }

  function goOn(): void {
    void go();
  }
  return { goOn, showEnd };
}

// A reload must not bring back what was given up.
async function forget(id: string): Promise<void> {
  await dropImport(id).catch(ignore);
  releaseJob(id);
}

/** Forgets an import that has ended, and its rows. */
export function closeImport(run: ImportRun): void {
  if (run.state === 'running') return;
  void forget(run.id);
  leaveImport(run.about.place);
  // Given up, it can neither go on nor give its failed rows; what came of it is still known.
  reportJob({ ...tell(run), actions: [reportOf(run)] });
}

/** How many rows have each result. */
export function tally(run: ImportRun): Record<RowResult['result'] | 'left', number> {
  const counts = { done: 0, partly: 0, failed: 0, left: run.rows.length - run.results.size };
  for (const { result } of run.results.values()) counts[result] += 1;
  return counts;
}

const reportOf = (run: ImportRun) => ({ label: 'Report', onSelect: () => saveReport(run) });

function tell(run: ImportRun): Job {
  const { id, state, rows, results, trouble } = run;
  const { partly, failed } = tally(run);
  const parts = [
    `${count(results.size)} of ${count(rows.length)}`,
    ...(partly > 0 ? [`${count(partly)} in part`] : []),
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
  ];
  const report = reportOf(run);
  const again = { label: 'Failed rows', onSelect: () => saveFailed(run) };
  const actions = {
    running: [{ label: 'Stop', onSelect: run.stop }],
    stopped: [{ label: 'Continue', onSelect: run.goOn }, report],
    done: [report],
    failed: [report, again],
  };
  return {
    id,
    title: `Import ${counted(rows.length, ...run.about.words)}`,
    state,
    progress: results.size / rows.length,
    result: `${parts.join(', ')}${trouble === undefined ? '' : `: ${trouble}`}`,
    actions: actions[state],
    onClear: () => forget(id),
  };
}
