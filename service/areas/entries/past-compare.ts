import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../kernel/db/database.ts';
import { ApiError, retryLater } from '../../kernel/http/errors.ts';
import type { SchemaField } from '../schema/index.ts';
import { joined } from './id-list.ts';
import { countMatches } from './matching.store.ts';
import { type Changes, changedSince, lastSeen, stillMatching, wasAmong } from './past-changes.store.ts';
import { type Comparison, comparisonAt, rememberComparison, type Seen } from './past-known.ts';
import { renewed, type Sides, sidesOf } from './past-sides.ts';
import type { PastWanted } from './past-values.store.ts';
import { nameOf } from './positions.ts';

/** How much is compared and put in order. */
export const pastBounds = {
  /** Entries that have changed since then. */
  most: 2_000_000,
  /** So many are compared by one statement: nobody waits long behind it, on the embedded database neither. */
  atOnce: 10_000,
  /** Up to so many are compared and read with the page that asks for them. */
  few: 20_000,
  /** Entries of a list that is put in order as a whole. */
  listed: 5_000_000,
  /** After the last change of a type so long, no other of the same moment is still to come: many are compared only then. */
  settledMs: 1_100,
};

/** A list as it was, and the fields whose values count as a difference. */
export interface Asking {
  wanted: PastWanted;
  fields: readonly SchemaField[];
}

/** A change that was begun before the last one may be committed after it. */
const OVERLAP_MS = 2_000;

/** @throws ApiError 400 that says in words and numbers why */
export function refuse(why: string): never {
  throw new ApiError(400, `The list cannot be told as it was: ${why}`, [{ path: 'asOf', message: why }]);
}

export const shownNumber = (many: number): string => many.toLocaleString('en');

const questionOf = ({ wanted: { type, condition, asked, at }, fields }: Asking): string =>
  nameOf([asked.siteId, type, condition, asked.meaning, at, fields.map(({ id }) => id)]);

/** From when on changes are not yet in a comparison. */
function unseenSince({ at }: PastWanted, known: Comparison | undefined): Date {
  const { at: seen, isSettled } = known?.seen ?? {};
  if (seen === undefined) return at;
  return new Date(Math.max(at.getTime(), seen.getTime() - (isSettled ? 0 : OVERLAP_MS)));
}

/** Whether nothing has changed since, nor can any more have at the same moment. */
const isCurrent = ({ seen }: Comparison, now: Seen): boolean =>
  seen.isSettled && seen.at?.getTime() === now.at?.getTime();

/**
 * Where too many entries have changed for one page to wait for, they are compared before it is read, a piece at a time
 * and one list after the other; what changes meanwhile is compared with the page.
 */
export async function prepareComparison(db: Db, asking: Asking): Promise<void> {
  const { few } = pastBounds;
  const isMuch = async () => {
    const known = comparisonAt(questionOf(asking));
    if (known && isCurrent(known, await lastSeen(db, asking.wanted))) return false;
    const since = unseenSince(asking.wanted, known);
    const { all } = await changedSince(db, asking.wanted, since, few + 1);
    return all.length > few;
  };
  if (!(await isMuch())) return;
  await inTurn(async () => {
    // Whoever came before may have asked the same.
    if (!(await isMuch())) return;
    const seen = await lastSeen(db, asking.wanted);
    if (!seen.isSettled) await sleep(pastBounds.settledMs);
    await compareAll(db, asking);
  });
}

/** What has changed since then, seen from this moment: mostly known from the page before. */
export async function comparisonOf(tx: Db, asking: Asking): Promise<Comparison> {
  const { wanted } = asking;
  const question = questionOf(asking);
  const known = comparisonAt(question);
  if (!known) return compareAll(tx, asking);
  const seen = await lastSeen(tx, wanted);
  if (isCurrent(known, seen)) return known;
  const changes = await changedSince(tx, wanted, unseenSince(wanted, known), pastBounds.most + 1);
  const sides = renewed(known.sides, await compare(tx, asking, changes));
  const matches = await countMatches(tx, wanted);
  const lists = listsLeft(known, matches + sides.removed.length - sides.added.length);
  const comparison = { sides, matches, seen, lists };
  rememberComparison(question, comparison);
  return comparison;
}

/** A list as it was stays whatever changes, but for what came back: that is in it all the time (docs/decisions/0020). */
const listsLeft = ({ lists }: Comparison, length: number): Comparison['lists'] =>
  lists.filter(({ part, ids }) => part === 'then' && ids.length === length);

async function compareAll(db: Db, asking: Asking): Promise<Comparison> {
  const { wanted } = asking;
  const { most } = pastBounds;
  const seen: Seen = await lastSeen(db, wanted);
  const changes = await changedSince(db, wanted, wanted.at, most + 1);
  if (changes.all.length > most)
    refuse(`more than ${shownNumber(most)} entries have changed since then; ask for a later moment`);
  const sides = await compare(db, asking, changes);
  const comparison = { sides, matches: await countMatches(db, wanted), seen, lists: [] };
  rememberComparison(questionOf(asking), comparison);
  return comparison;
}

async function compare(db: Db, { wanted, fields }: Asking, { all, there }: Changes): Promise<Sides> {
  const { atOnce } = pastBounds;
  const found: Awaited<ReturnType<typeof wasAmong>>[] = [];
  for (let from = 0; from < there.length; from += atOnce)
    // oxlint-disable-next-line no-await-in-loop -- others take their turns between two pieces
    found.push(await wasAmong(db, wanted, there.slice(from, from + atOnce), fields));
  return sidesOf({
    all,
    was: joined(found.map(({ was }) => was)),
    differ: joined(found.map(({ differ }) => differ)),
    is: await stillMatching(db, wanted, all),
  });
}

/** One long comparison at a time in this process, and few that wait: each keeps the database busy for seconds. */
const MOST_WAITING = 4;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

async function inTurn(work: () => Promise<void>): Promise<void> {
  if (waiting >= MOST_WAITING)
    throw retryLater(503, 'Several lists as of a date are being put together: try again in a moment', 10);
  waiting += 1;
  const turn = last.then(work);
  last = turn.catch(() => undefined);
  try {
    await turn;
  } finally {
    waiting -= 1;
  }
}
