import type { Remote } from 'comlink';
import type { OutcomeCounts } from '../../../files/import-plan/plan.ts';
import type { FileSession } from '../../import-view/index.ts';
import { openWorkerClient } from '../../import/index.ts';
import type { Schema } from '../model/schema.ts';
import type { CheckRequest } from './check-request.ts';
import { loadAllNames, loadAliases, loadEntriesByValues, loadUserNames, loadNames } from './look-up.ts';
import type { createRowChecker, MissingLookups } from './row-checker.ts';
// The bundler makes this module.
// oxlint-disable-next-line import/default
import workerUrl from './worker.ts?worker&url';

type RowChecker = ReturnType<typeof createRowChecker>;

/** For types with more entries only the service finds near-duplicates. */
export const MAX_NAMES_TO_COMPARE = 100_000;

/** Input of a check. */
interface CheckInput {
  schema: Schema;
  type: { id: number; entryCount?: number | undefined };
  request: CheckRequest;
}

/** Connection to the worker that holds a file of entries. */
export interface EntryFileSession extends FileSession {
  /** Checks all rows and reports the current step. */
  check: (
    against: CheckInput,
    report: (doing: string) => void,
    signal: AbortSignal,
  ) => Promise<OutcomeCounts>;
}

export function openSession(): EntryFileSession {
  const { desk, open, close, runExclusive } =
    openWorkerClient<ReturnType<typeof createRowChecker>>(workerUrl);

  async function check(against: CheckInput, report: (doing: string) => void): Promise<OutcomeCounts> {
    const needs = await desk.getMissingLookups(against.request);
    try {
      await sendLookups(desk, needs, against, report);
    } catch (thrown) {
      await desk.clearLookups();
      throw thrown;
    }
    report('Checking every row…');
    return desk.check(against.request);
  }

  return {
    client: desk,
    open,
    close,
    check: (against, report, signal) => runExclusive(() => check(against, report), signal),
  };
}

// One after the other: the service and the page are kept free for others.
async function sendLookups(
  checker: Remote<RowChecker>,
  needs: MissingLookups,
  { schema, type, request }: CheckInput,
  report: (doing: string) => void,
): Promise<void> {
  if (needs.users) {
    report('Loading users…');
    await checker.setUsers(await loadUserNames());
  }
  for (const { types, ids, names, keys } of needs.references) {
    if (ids.length + names.length > 0) report('Looking up references…');
    for (const typeId of types.length === 0 ? schema.types.map(({ id }) => id) : types)
      for await (const things of loadNames(schema, typeId, { ids, names }))
        await checker.addReferences(types, things);
    for await (const things of loadAliases(schema, type.id, request.key, keys))
      await checker.addReferences(types, things);
  }
  if (needs.keys.length > 0) {
    report('Looking up existing entries…');
    for await (const rows of loadEntriesByValues(type.id, request.key, needs.keys, needs.comparedFields))
      await checker.addEntries(rows, request);
  }
  if (!needs.names) return;
  await checker.addNames([]);
  if ((type.entryCount ?? 0) > MAX_NAMES_TO_COMPARE) return;
  report('Loading existing names…');
  for await (const names of loadAllNames(schema, type.id)) await checker.addNames(names);
}
