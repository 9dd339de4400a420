import type { Remote } from 'comlink';
import { openDesk } from '../../import/open-desk.ts';
import type { Counts } from '../../import/plan.ts';
import type { FileSession } from '../../import/view/use-preparation.ts';
import type { Schema } from '../model/schema.ts';
import type { createDesk, Needs } from './desk.ts';
import { allNames, calledByKey, entriesWith, everybody, namesOf } from './look-up.ts';
import type { Question } from './question.ts';
// The bundler makes this module.
// oxlint-disable-next-line import/default
import workerUrl from './worker.ts?worker&url';

type DeskWorker = ReturnType<typeof createDesk>;

/** Of types with more entries than this, near-duplicates are told by the service alone. */
export const MOST_NAMES = 100_000;

/** What is checked, and where. */
interface Against {
  schema: Schema;
  type: { id: number; entryCount?: number | undefined };
  question: Question;
}

/** A file of entries on its desk. */
export interface EntriesSession extends FileSession {
  /** Checks every row; says what it is doing. */
  check: (against: Against, tell: (doing: string) => void, signal: AbortSignal) => Promise<Counts>;
}

export function openSession(): EntriesSession {
  const { desk, open, close, inTurn } = openDesk<ReturnType<typeof createDesk>>(workerUrl);

  async function check(against: Against, tell: (doing: string) => void): Promise<Counts> {
    const needs = await desk.needs(against.question);
    try {
      await lend(desk, needs, against, tell);
    } catch (thrown) {
      await desk.forget();
      throw thrown;
    }
    tell('Checking every row…');
    return desk.check(against.question);
  }

  return {
    desk,
    open,
    close,
    check: (against, tell, signal) => inTurn(() => check(against, tell), signal),
  };
}

// One after the other: the service and the page are kept free for others.
/* oxlint-disable no-await-in-loop */
async function lend(
  desk: Remote<DeskWorker>,
  needs: Needs,
  { schema, type, question }: Against,
  tell: (doing: string) => void,
): Promise<void> {
  if (needs.users) {
    tell('Reading who is on the site…');
    await desk.lendUsers(await everybody());
  }
  for (const { types, ids, names, keys } of needs.references) {
    if (ids.length + names.length > 0) tell('Looking up what the rows refer to…');
    for (const typeId of types.length === 0 ? schema.types.map(({ id }) => id) : types)
      for await (const things of namesOf(schema, typeId, { ids, names }))
        await desk.lendReferences(types, things);
    for await (const things of calledByKey(schema, type.id, question.key, keys))
      await desk.lendReferences(types, things);
  }
  if (needs.keys.length > 0) {
    tell('Looking up which entries are there…');
    for await (const rows of entriesWith(type.id, question.key, needs.keys, needs.compared))
      await desk.lendEntries(rows, question);
  }
  if (!needs.names) return;
  await desk.lendNames([]);
  if ((type.entryCount ?? 0) > MOST_NAMES) return;
  tell('Reading the names that are there…');
  for await (const names of allNames(schema, type.id)) await desk.lendNames(names);
}
/* oxlint-enable no-await-in-loop */
