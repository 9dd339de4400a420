import type { QueryClient } from '@tanstack/react-query';
import { markStale } from '../api/effects.ts';
import { toServiceError } from '../api/errors.ts';
import { count, counted } from '../lib/numbers.ts';
import { createRun } from '../lib/run.ts';
import type { Run } from '../lib/run.ts';
import { reportJob } from '../shell/jobs.ts';
import type { Job } from '../shell/jobs.ts';
import { createStore } from '../ui/store.ts';
import { begin, perform } from './perform.ts';
import type { Progress, RowResult } from './perform.ts';
import type { Planned } from './plan.ts';
import { saveFailed, saveReport } from './report.ts';
import type { ImportSession } from './session.ts';

/** An import that was agreed to, as the page and the tray follow it. */
export interface ImportRun {
  id: string;
  fileName: string;
  state: Job['state'];
  rows: readonly Planned[];
  results: ReadonlyMap<number, RowResult>;
  /** Why it has stopped by itself. */
  trouble: string | undefined;
  session: ImportSession;
  stop: () => void;
  goOn: () => void;
}

/** The import of this tab, running or ended; it outlives its page. */
export const importRun = createStore<ImportRun | undefined>(undefined);

const AT_ONCE = 4;
// Often enough to be followed, seldom enough not to be felt.
const SHOW_EVERY = 100;

interface Order {
  session: ImportSession;
  fileName: string;
  rows: readonly Planned[];
  client: QueryClient;
}

/** Imports the rows as a job in the tray, which can be stopped and continued. */
export function startImport({ session, fileName, rows, client }: Order): void {
  const id = crypto.randomUUID();
  const results = new Map<number, RowResult>();
  const progress = new Map<number, Progress>();
  let current: Run<Planned> | undefined;
  let shown = 0;

  function show(state: Job['state'], trouble?: string): void {
    shown = performance.now();
    // A new object tells those who follow that the results have grown.
    const run = { id, fileName, state, rows, results, trouble, session, stop: () => current?.stop(), goOn };
    importRun.set(run);
    reportJob(tell(run));
  }

  async function act(row: Planned): Promise<void> {
    const far = progress.get(row.row) ?? begin(row);
    progress.set(row.row, far);
    results.set(row.row, await perform(row, far));
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
    const left = results.size < rows.length;
    const failed = [...results.values()].some(({ result }) => result !== 'done');
    const end = failed ? 'failed' : 'done';
    show(left ? 'stopped' : end, trouble === undefined ? undefined : toServiceError(trouble).message);
    await Promise.all([markStale(client, 'createUser'), markStale(client, 'updateUser')]);
  }

  function goOn(): void {
    void go();
  }
  void go();
}

/** Forgets an import that has ended, and its file. */
export function closeImport(): void {
  const run = importRun.get();
  if (!run || run.state === 'running') return;
  run.session.close();
  importRun.set(undefined);
  // Without its file it can neither go on nor give its failed rows; what came of it is still known.
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
  const again = { label: 'Failed rows', onSelect: () => void saveFailed(run) };
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
  };
}
