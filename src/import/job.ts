import type { QueryClient } from '@tanstack/react-query';
import { markStale } from '../api/effects.ts';
import { toServiceError } from '../api/errors.ts';
import { releaseJob, takeJob } from '../bulk/lock.ts';
import { count, counted } from '../lib/numbers.ts';
import { createRun } from '../lib/run.ts';
import type { Run } from '../lib/run.ts';
import { reportJob } from '../shell/jobs.ts';
import type { Job } from '../shell/jobs.ts';
import { createStore } from '../ui/store.ts';
import { dropImport, keepImport, noteRows, resumed } from './keep.ts';
import type { ImportJob, RowNote } from './keep.ts';
import { begin, perform } from './perform.ts';
import type { RowResult } from './perform.ts';
import type { Planned } from './plan.ts';
import { saveFailed, saveReport } from './report.ts';

/** An import that was agreed to, as the page and the tray follow it. */
export interface ImportRun {
  id: string;
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

/** The import of this tab, running or ended; it outlives its page. */
export const importRun = createStore<ImportRun | undefined>(undefined);

const AT_ONCE = 4;
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
  const { id, fileName, headings } = job;
  const rows = job.rows.map(({ plan }) => plan);
  const cells = new Map(job.rows.map((one) => [one.plan.row, one.cells]));
  const { results, progress } = resumed(rows, notes);
  let current: Run<Planned> | undefined;
  let shown = 0;
  let unkept: RowNote[] = [];

  function show(state: Job['state'], trouble?: string): void {
    shown = performance.now();
    // A new object tells those who follow that the results have grown.
    const run = {
      id,
      fileName,
      headings,
      state,
      rows,
      cells,
      results,
      trouble,
      stop: () => current?.stop(),
      goOn,
    };
    const before = importRun.get();
    if (!before || before.id === id || state === 'running') importRun.set(run);
    reportJob(tell(run));
  }

  async function act(plan: Planned): Promise<void> {
    const { row, work } = plan;
    const far = progress.get(row) ?? begin(plan);
    progress.set(row, far);
    // Before the call: after a reload nobody could tell who was created by it.
    if (work.create && far.userId === undefined) await noteRows(id, [{ row, creating: true }]).catch(ignore);
    const result = await perform(plan, far);
    results.set(row, result);
    unkept.push({ row, result });
    // What was refused must not be taken for done, whatever is lost.
    if (result.result !== 'done' || unkept.length >= KEEP_EVERY) keep();
  }

  function keep(): void {
    if (unkept.length > 0) void noteRows(id, unkept).catch(ignore);
    unkept = [];
  }

  async function go(): Promise<void> {
    let trouble: unknown;
    const run = createRun(
      rows.filter(({ row }) => !results.has(row)),
      {
        atOnce: AT_ONCE,
        act,
        onStep() {
          trouble ??= run.outcomes().at(-1)?.error;
          if (trouble !== undefined) run.stop();
          if (performance.now() - shown > SHOW_EVERY) show('running');
        },
      },
    );
    current = run;
    show('running');
    await run.go();
    keep();
    showEnd(trouble);
    await Promise.all([markStale(client, 'createUser'), markStale(client, 'updateUser')]);
  }

  function showEnd(trouble?: unknown): void {
    const left = results.size < rows.length;
    const failed = [...results.values()].some(({ result }) => result !== 'done');
    const end = failed ? 'failed' : 'done';
    show(left ? 'stopped' : end, trouble === undefined ? undefined : toServiceError(trouble).message);
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
export function closeImport(): void {
  const run = importRun.get();
  if (!run || run.state === 'running') return;
  void forget(run.id);
  importRun.set(undefined);
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
    title: `Import ${counted(rows.length, 'person', 'people')}`,
    state,
    progress: results.size / rows.length,
    result: `${parts.join(', ')}${trouble === undefined ? '' : `: ${trouble}`}`,
    actions: actions[state],
    onClear: () => forget(id),
  };
}
