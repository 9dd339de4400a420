import type { QueryClient } from '@tanstack/react-query';
import { markStale } from '../../api/effects.ts';
import { forgetUsers } from '../../directory/directory.ts';
import { createRun } from '../../lib/run.ts';
import type { Call } from './calls.ts';
import { inTray } from './in-tray.ts';
import { dropJob, keepOutcomes } from './keep.ts';
import type { BulkJob } from './keep.ts';
import type { Outcome } from './outcome.ts';
import { perform } from './perform.ts';
import { OPERATIONS } from './rules.ts';
import { saveFile } from '../../files/save-file.ts';
import type { JobAction } from '../../app/jobs/jobs.ts';
import { reportOf } from './report.ts';
import { bulkRequest } from './request.ts';
import { undoFile, undoOf } from './undo-file.ts';
import { callsOf } from './calls.ts';
import { worse } from './outcome.ts';
import type { Change } from './person.ts';

const AT_ONCE = 4;
// What is lost between two is read again.
const KEEP_EVERY = 50;

const ignore = () => undefined;

/**
 * A change of many people as a job in the tray: each call once, some at a time; it can be stopped, continued and
 * discarded. Where the fault is not a person's (no answer, session over, service in trouble) it stops by itself and
 * keeps those people for later. `before`: what came of it until the page was loaded anew.
 */
export function createJob(client: QueryClient, job: BulkJob, before: readonly Outcome[] = []) {
  const ledger = createLedger(job.changes, before);
  const tray = inTray({
    id: job.id,
    title: job.title,
    total: job.changes.length,
    outcomes: ledger.outcomes,
    files: filesOf(job, ledger.outcomes),
    drop: dropJob,
    stop: () => (stopped = true),
    goOn: () => void go(),
  });
  let trouble: unknown;
  let stopped = false;
  let unkept: Outcome[] = [];

  async function go(): Promise<void> {
    trouble = undefined;
    stopped = false;
    tray.show('running');
    // Groups are given before others are taken: one part after the other.
    // oxlint-disable-next-line no-await-in-loop
    for (const part of ledger.begin()) if (!stopped) await runPart(part);
    keep();
    await markStale(client, OPERATIONS[job.action.kind]).catch(ignore);
    showEnd();
  }

  async function runPart(part: readonly Call[]): Promise<void> {
    const run = createRun(part, {
      atOnce: AT_ONCE,
      act,
      onStep() {
        if (stopped) run.stop();
        tray.step();
      },
    });
    await run.go();
  }

  async function act(call: Call): Promise<void> {
    const narrowed = ledger.narrow(call);
    try {
      const told = narrowed ? await perform(narrowed, job.holder.userId) : [];
      const through = ledger.note(call, told);
      unkept.push(...through);
      if (call.kind === 'remove')
        forgetUsers(
          client,
          through.filter(isDone).map(({ userId }) => userId),
        );
    } catch (thrown) {
      trouble = thrown;
      stopped = true;
      ledger.putBack(call);
    }
    if (unkept.length >= KEEP_EVERY) keep();
  }

  // Where the browser keeps nothing, the job goes on all the same and ends with its page.
  function keep(): void {
    if (unkept.length > 0) void keepOutcomes(job.id, unkept).catch(ignore);
    unkept = [];
  }

  const showEnd = () => tray.showEnd(ledger.left().length, trouble);
  return { go, showEnd };
}

const isDone = ({ result }: Outcome) => result === 'done';

/** What can be fetched of a job that stands still: its report, its way back, and another try for whom it left alone. */
function filesOf(job: BulkJob, outcomes: ReadonlyMap<number, Outcome>): () => readonly JobAction[] {
  const slug = `${job.action.kind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-${job.at.slice(0, 10)}`;
  return () => {
    const undo = undoOf(job, outcomes);
    const left = [...outcomes.values()].filter(({ result }) => result === 'conflict' || result === 'failed');
    const again = { action: job.action, userIds: left.map(({ userId }) => userId) };
    return [
      { label: 'Report', onSelect: () => saveFile(`${slug}.csv`, reportOf(job, outcomes)) },
      ...(left.length > 0 ? [{ label: 'Review the rest', onSelect: () => bulkRequest.set(again) }] : []),
      ...(undo
        ? [
            { label: 'Undo', onSelect: () => bulkRequest.set(undo) },
            {
              label: 'Save undo file',
              onSelect: () => saveFile(`undo-${slug}.json`, undoFile(job, undo), 'application/json'),
            },
          ]
        : []),
    ];
  };
}

const whoOf = (call: Call): readonly Change[] => ('change' in call ? [call.change] : call.changes);
const isBad = (outcome: Outcome | undefined): outcome is Outcome =>
  outcome?.result === 'conflict' || outcome?.result === 'failed';

/** What came of the people of a job so far, and what is still to do. */
function createLedger(changes: readonly Change[], before: readonly Outcome[]) {
  const outcomes = new Map(before.map((outcome) => [outcome.userId, outcome]));
  const putBack = new Set<number>();
  /** In this round: how many calls are still about somebody, and what came of the first of several. */
  let open = new Map<number, number>();
  const partly = new Map<number, Outcome>();

  const left = () => changes.filter(({ person }) => !outcomes.has(person.id));
  return {
    outcomes: outcomes as ReadonlyMap<number, Outcome>,
    left,
    /** The calls for who is left. Those put back come last: somebody for whom the service always fails keeps nobody waiting. */
    begin(): Call[][] {
      const rest = left();
      const parts = callsOf([
        ...rest.filter(({ person }) => !putBack.has(person.id)),
        ...rest.filter(({ person }) => putBack.has(person.id)),
      ]);
      putBack.clear();
      open = new Map();
      for (const { person } of parts.flat().flatMap(whoOf))
        open.set(person.id, (open.get(person.id) ?? 0) + 1);
      return parts;
    },
    /** The call without those for whom an earlier one was refused: who was not added is not taken out elsewhere. */
    narrow(call: Call): Call | undefined {
      if ('change' in call) return isBad(partly.get(call.change.person.id)) ? undefined : call;
      const rest = call.changes.filter(({ person }) => !isBad(partly.get(person.id)));
      return rest.length === 0 ? undefined : { ...call, changes: rest };
    },
    /** Notes what came of a call; returns those with whom the job is through. */
    note(call: Call, told: readonly Outcome[]): Outcome[] {
      for (const outcome of told) partly.set(outcome.userId, worse(partly.get(outcome.userId), outcome));
      return whoOf(call).flatMap(({ person: { id } }) => {
        const rest = (open.get(id) ?? 1) - 1;
        open.set(id, rest);
        const outcome = partly.get(id);
        if (rest > 0 || !outcome) return [];
        outcomes.set(id, outcome);
        return [outcome];
      });
    },
    putBack(call: Call): void {
      for (const { person } of whoOf(call)) putBack.add(person.id);
    },
  };
}
