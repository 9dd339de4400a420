import type { QueryClient } from '@tanstack/react-query';
import { markStale } from '../../../api/effects.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { updateUser } from '../../../api/generated/sdk.gen.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { toCsv } from '../../../lib/csv.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { createRun } from '../../../lib/run.ts';
import type { Outcome } from '../../../lib/run.ts';
import { reportJob } from '../../../shell/jobs.ts';
import { saveFile } from './-save-file.ts';

const AT_ONCE = 4;
const HEAD = ['id', 'name', 'e-mail', 'result', 'reason', 'request id'];

/**
 * Deactivates or activates many, one call each, as a job that can be stopped and continued. Where the fault is
 * not the person's (no answer, session over, service in trouble) it stops by itself and keeps them for later.
 */
export function changeStatus(client: QueryClient, people: readonly DirectoryRow[], isActive: boolean): void {
  const id = crypto.randomUUID();
  const verb = isActive ? 'Activate' : 'Deactivate';
  const title = `${verb} ${counted(people.length, 'person', 'people')}`;
  let ended: readonly Outcome<DirectoryRow>[] = [];
  let run = begin(people);
  const report = {
    label: 'Report',
    onSelect: () => saveFile(`${verb.toLowerCase()}-users.csv`, toCsv([HEAD, ...outcomes().map(line)])),
  };

  function begin(rows: readonly DirectoryRow[]) {
    return createRun(rows, {
      atOnce: AT_ONCE,
      act: (row) => updateUser({ body: { id: row.id, isActive } }),
      onStep() {
        if (run.outcomes().some(isPutBack)) run.stop();
        show('running');
      },
    });
  }

  function outcomes(): readonly Outcome<DirectoryRow>[] {
    return [...ended, ...run.outcomes().filter((outcome) => !isPutBack(outcome))];
  }

  // Those put back come last: somebody for whom the service always fails keeps nobody else waiting.
  function rest(): readonly DirectoryRow[] {
    const tried = new Set([...ended, ...run.outcomes()].map(({ item }) => item));
    const putBack = run.outcomes().filter(isPutBack);
    return [...people.filter((row) => !tried.has(row)), ...putBack.map(({ item }) => item)];
  }

  function show(state: 'running' | 'done' | 'failed' | 'stopped') {
    const done = outcomes().length;
    const trouble = run.outcomes().find(isPutBack);
    const why = state === 'stopped' && trouble ? `: ${toServiceError(trouble.error).message}` : '';
    const actions = {
      running: [{ label: 'Stop', onSelect: () => run.stop() }],
      stopped: [{ label: 'Continue', onSelect: goOn }, report],
      done: [report],
      failed: [report],
    };
    const result = `${count(done)} of ${count(people.length)}${failures(outcomes())}${why}`;
    reportJob({ id, title, state, progress: done / people.length, result, actions: actions[state] });
  }

  async function go() {
    show('running');
    await run.go();
    const failed = outcomes().some(({ error }) => error !== undefined);
    const end = failed ? 'failed' : 'done';
    show(outcomes().length < people.length ? 'stopped' : end);
    await markStale(client, 'updateUser');
  }

  function goOn(): void {
    const rows = rest();
    ended = outcomes();
    run = begin(rows);
    void go();
  }
  void go();
}

/** Whether an outcome says nothing about the person: the same call may succeed later. */
function isPutBack({ error }: Outcome<DirectoryRow>): boolean {
  if (!(error instanceof ServiceError)) return error !== undefined;
  return error.status === 0 || error.status === 401 || error.status === 429 || error.status >= 500;
}

function failures(outcomes: readonly Outcome<DirectoryRow>[]): string {
  const failed = outcomes.filter(({ error }) => error !== undefined).length;
  return failed === 0 ? '' : `, ${count(failed)} failed`;
}

function line({ item, error }: Outcome<DirectoryRow>): (string | number)[] {
  const who = [item.id, item.name, item.email];
  if (error === undefined) return [...who, 'done', '', ''];
  const { message, requestId } = toServiceError(error);
  return [...who, 'failed', message, requestId ?? ''];
}
