import type { QueryClient } from '@tanstack/react-query';
import { markStale } from '../../api/effects.ts';
import { ServiceError, toServiceError } from '../../api/errors.ts';
import { takeJob } from '../../app/jobs/lock.ts';
import { createRun } from '../../lib/run.ts';
import type { Run } from '../../lib/run.ts';
import type { Job } from '../../app/jobs/jobs.ts';
import { showInTray } from './in-tray.ts';
import { begin, isThrough, keepImport, noteRows, resumed } from './keep.ts';
import type { ImportJob, RowNote, RowResult } from './keep.ts';
import { performerFor } from './performer.ts';
import type { Performer } from './performer.ts';
import type { Planned } from './plan.ts';
import { putRun } from './run.ts';

// Often enough to be followed, seldom enough not to be felt.
const SHOW_EVERY = 100;
const KEEP_EVERY = 50;

const ignore = () => undefined;

/** Whether a request may have been carried out although it failed: no answer came, or one of trouble in between. */
const mayHaveArrived = (thrown: unknown): boolean =>
  !(thrown instanceof ServiceError) || thrown.status === 0 || thrown.status >= 500;

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
  const { id, about, fileName, sheet, headings } = job;
  const rows = job.rows.map(({ plan }) => plan);
  const cells = new Map(job.rows.map((one) => [one.plan.row, one.cells]));
  const { results, progress } = resumed(rows, notes);
  const made = new Set([...results.values()].flatMap((one) => one.id ?? []));
  let current: Run<readonly Planned[]> | undefined;
  let isGoing = false;
  let paused = false;
  let shown = 0;
  let unkept: RowNote[] = [];

  const left = () => rows.filter(({ row }) => !isThrough(results.get(row)));
  const isUnsure = (row: number) => progress.get(row)?.unsure === true && !isThrough(results.get(row));
  // Every step makes it greater: a row that is there, a row that is through.
  const steps = () => results.size + rows.length - left().length;

  function pause(): void {
    paused = true;
    current?.stop();
  }

  function show(state: Job['state'], trouble?: string): void {
    shown = performance.now();
    // A new object tells those who follow that the results have grown.
    const unsure = new Set(
      state === 'running' ? [] : rows.flatMap(({ row }) => (isUnsure(row) ? [row] : [])),
    );
    const file = { fileName, sheet, headings };
    const run = { id, about, ...file, state, rows, cells, results, unsure, trouble, pause, goOn };
    putRun(run);
    showInTray(run);
  }

  /** Before the call: after a reload nobody could tell what was made by it. */
  async function noteSending(piece: readonly Planned[], above: number | undefined): Promise<void> {
    const sending = piece.map((plan): RowNote => {
      const far = progress.get(plan.row) ?? begin(plan);
      progress.set(plan.row, far);
      far.above ??= above;
      return { row: plan.row, sending: true, above: far.above };
    });
    await noteRows(id, sending).catch(ignore);
  }

  function note(row: number, result: RowResult): void {
    results.set(row, result);
    if (result.id !== undefined) made.add(result.id);
    unkept.push({ row, result });
  }

  async function act(piece: readonly Planned[], { perform }: Performer, above?: number): Promise<void> {
    await noteSending(piece, above);
    try {
      await perform({ rows: piece, progress, results, made, tell: note });
    } catch (thrown) {
      for (const { row } of piece) {
        const far = progress.get(row);
        if (far && !isThrough(results.get(row))) far.unsure ||= mayHaveArrived(thrown);
      }
      throw thrown;
    } finally {
      // What was refused must not be taken for done, whatever is lost.
      if (unkept.length >= KEEP_EVERY || unkept.some(isBad)) keep();
    }
  }

  function keep(): void {
    if (unkept.length > 0) void noteRows(id, unkept).catch(ignore);
    unkept = [];
  }

  /** Sends what is left, until all is done, it is paused, or the service does not answer. */
  async function send(): Promise<void> {
    const performer = await performerFor(about);
    const above = await performer.mark?.();
    const trouble = await sendRounds(performer, above);
    keep();
    await Promise.all(performer.effects.map((effect) => markStale(client, effect)));
    if (trouble !== undefined) throw toServiceError(trouble);
  }

  /** Rows that name others may wait for these: they come in a later round. */
  async function sendRounds(performer: Performer, above: number | undefined): Promise<unknown> {
    // Also while that was read which has to be known first.
    if (paused) return undefined;
    const before = steps();
    const trouble = await sendRound(performer, above);
    const isOver = trouble !== undefined || paused || left().length === 0 || steps() === before;
    return isOver ? trouble : sendRounds(performer, above);
  }

  async function sendRound(performer: Performer, above: number | undefined): Promise<unknown> {
    let trouble: unknown;
    const run = createRun(performer.pieces(left()), {
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
    return trouble;
  }

  async function go(): Promise<void> {
    paused = false;
    show('running');
    const trouble = await send().catch(toServiceError);
    isGoing = false;
    showEnd(trouble?.message);
  }

  function showEnd(trouble?: string): void {
    const failed = [...results.values()].some(({ result }) => result !== 'done');
    show(left().length > 0 ? 'stopped' : failed ? 'failed' : 'done', trouble);
  }

  function goOn(): void {
    // Whoever clicks twice begins once: two would send the same rows.
    if (isGoing) return;
    isGoing = true;
    void go();
  }
  return { goOn, showEnd };
}

const isBad = (note: RowNote): boolean => 'result' in note && note.result.result !== 'done';
