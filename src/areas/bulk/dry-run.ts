import { rowsOf } from '../../directory/directory.ts';
import type { BulkRequest } from './actions.ts';
import { chunks } from './calls.ts';
import type { Change, Person } from './person.ts';
import { createPlanner } from './plan.ts';
import type { Plan } from './plan.ts';
import { readPeople } from './read.ts';
import { concernsLicenses, readRules } from './rules.ts';
import type { Around } from './rules.ts';

/** Who changed somebody after the list was loaded, and when. */
interface Meanwhile {
  by: string;
  at: string;
}

export interface DryRun extends Plan {
  /** The changes of people whom somebody else has changed since the list was loaded. */
  conflicts: ReadonlyMap<number, Meanwhile>;
  /** How many are no longer on the site. */
  missing: number;
  /** Why nobody can be changed: a capability is missing. */
  lacks: string | undefined;
}

// Planning so many takes a few milliseconds: the page stays alive in between.
const PART = 1000;

/** Reads everybody again from the service and says what would happen to each. */
export async function dryRun(
  { action, userIds, lastBy }: BulkRequest,
  around: Around,
  onRead: (people: number) => void,
): Promise<DryRun> {
  const ids = [...new Set(userIds)];
  const shown = new Map((await rowsOf(ids)).map((row) => [row.id, row.modified]));
  const { size, signal } = around;
  const people = await readPeople(ids, { licenses: concernsLicenses(action), size, signal, onRead });
  const rules = await readRules(action, people, around);
  const planner = createPlanner(action, rules);
  for (const part of chunks(people, PART)) {
    planner.add(part);
    // oxlint-disable-next-line no-await-in-loop -- part after part, as said above
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
  }
  const plan = planner.end();
  const isConflict = ({ person: { id, modified, modifiedBy } }: Change): boolean =>
    lastBy === undefined
      ? shown.has(id) && shown.get(id) !== modified && modifiedBy !== rules.me
      : modifiedBy !== lastBy;
  return {
    ...plan,
    conflicts: await meanwhile(plan.changes.filter(isConflict).map(({ person }) => person)),
    missing: ids.length - people.length,
    lacks: rules.lacks,
  };
}

async function meanwhile(people: readonly Person[]): Promise<ReadonlyMap<number, Meanwhile>> {
  const who = new Set(people.flatMap(({ modifiedBy }) => modifiedBy ?? []));
  const names = new Map((await rowsOf(who)).map(({ id, name }) => [id, name]));
  return new Map(
    people.map(({ id, modified, modifiedBy }) => [
      id,
      { by: names.get(modifiedBy ?? 0) ?? 'somebody else', at: modified },
    ]),
  );
}
