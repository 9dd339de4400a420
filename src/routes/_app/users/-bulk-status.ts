import type { QueryClient } from '@tanstack/react-query';
import { markStale } from '../../../api/effects.ts';
import { toServiceError } from '../../../api/errors.ts';
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

/** Deactivates or activates many, one call each, as a job that can be stopped and continued. */
export function changeStatus(client: QueryClient, people: readonly DirectoryRow[], isActive: boolean): void {
  const id = crypto.randomUUID();
  const verb = isActive ? 'Activate' : 'Deactivate';
  const title = `${verb} ${counted(people.length, 'person', 'people')}`;
  const run = createRun(people, {
    atOnce: AT_ONCE,
    act: (row) => updateUser({ body: { id: row.id, isActive } }),
    onStep: () => show('running'),
  });
  const report = {
    label: 'Report',
    onSelect: () => saveFile(`${verb.toLowerCase()}-users.csv`, toCsv([HEAD, ...run.outcomes().map(line)])),
  };

  function show(state: 'running' | 'done' | 'failed' | 'stopped') {
    const done = run.outcomes().length;
    const actions = {
      running: [{ label: 'Stop', onSelect: run.stop }],
      stopped: [{ label: 'Continue', onSelect: () => void go() }, report],
      done: [report],
      failed: [report],
    };
    const result = `${count(done)} of ${count(people.length)}${failures(run.outcomes())}`;
    reportJob({ id, title, state, progress: done / people.length, result, actions: actions[state] });
  }

  async function go() {
    show('running');
    await run.go();
    const failed = run.outcomes().some(({ error }) => error !== undefined);
    const ended = failed ? 'failed' : 'done';
    show(run.left() > 0 ? 'stopped' : ended);
    await markStale(client, 'updateUser');
  }
  void go();
}

function failures(outcomes: readonly Outcome<DirectoryRow>[]): string {
  const failed = outcomes.filter(({ error }) => error !== undefined).length;
  return failed === 0 ? '' : `, ${count(failed)} refused`;
}

function line({ item, error }: Outcome<DirectoryRow>): (string | number)[] {
  const who = [item.id, item.name, item.email];
  if (error === undefined) return [...who, 'done', '', ''];
  const { message, requestId } = toServiceError(error);
  return [...who, 'refused', message, requestId ?? ''];
}
