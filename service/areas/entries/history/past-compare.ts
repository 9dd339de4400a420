import type { Db } from '../../../kernel/db/database.ts';
import { ApiError, retryLater } from '../../../kernel/http/errors.ts';
import type { SchemaField } from '../../schema/index.ts';
import { joined } from '../query/id-list.ts';
import { markNow, newerThan } from '../cache/marks.store.ts';
import { countMatches, keyOf } from '../query/matching.store.ts';
import { type Changes, changedSince, stillMatching, wasAmong } from './past-changes.store.ts';
import { type Comparison, comparisonAt, rememberComparison } from './past-known.ts';
import { renewed, type Sides, sidesOf } from './past-sides.ts';
import type { PastWanted } from './past-values.store.ts';
import { nameOf } from '../cache/positions.ts';

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
};

/** A list as it was, and the fields whose values count as a difference. */
export interface Asking {
  wanted: PastWanted;
  fields: readonly SchemaField[];
}

/** @throws ApiError 400 that says in words and numbers why */
export function refuse(why: string): never {
  throw new ApiError(400, `The list cannot be told as it was: ${why}`, [{ path: 'asOf', message: why }]);
}

export const shownNumber = (many: number): string => many.toLocaleString('en');

const questionOf = ({ wanted, fields }: Asking): string =>
  nameOf([keyOf({ ...wanted, order: undefined }), wanted.at, fields.map(({ id }) => id)]);

/** Changes of the moment itself are among those that are looked for. */
const beginning = ({ at }: PastWanted, since: Date): Date =>
  new Date(Math.max(at.getTime(), since.getTime() - 1));

/**
 * Where too many entries have changed for one page to wait for, they are compared before it is read, a piece at a time
 * and one list after the other; what changes meanwhile is compared with the page.
 */
export async function prepareComparison(db: Db, asking: Asking): Promise<void> {
  const { wanted } = asking;
  const { few } = pastBounds;
  const isMuch = async () => {
    const known = comparisonAt(questionOf(asking));
    const newer = known && (await newerThan(db, wanted.asked.siteId, known.mark));
    if (known && newer?.mark === known.mark) return false;
    const { all } = await changedSince(db, wanted, beginning(wanted, newer?.since ?? wanted.at), few + 1);
    return all.length > few;
  };
  if (!(await isMuch())) return;
  await inTurn(async () => {
    // Whoever came before may have asked the same.
    if (await isMuch()) await comparisonOf(db, asking);
  });
}

/** What has changed since then, seen from this moment: mostly known from the page before. */
export async function comparisonOf(tx: Db, asking: Asking): Promise<Comparison> {
  const { wanted } = asking;
  const question = questionOf(asking);
  const known = comparisonAt(question);
  if (!known) return compareAll(tx, asking);
  const { mark, since } = await newerThan(tx, wanted.asked.siteId, known.mark);
  if (mark === known.mark) return known;
  if (!since) return compareAll(tx, asking);
  const comparison = { ...(await renewedBy(tx, asking, known, since)), mark };
  rememberComparison(question, comparison);
  return comparison;
}

/** A comparison with what was changed since a moment, which it may know in part. */
async function renewedBy(tx: Db, asking: Asking, known: Comparison, since: Date): Promise<Comparison> {
  const { wanted } = asking;
  const changes = await changedSince(tx, wanted, beginning(wanted, since), pastBounds.most + 1);
  // What was changed before the moment and committed after it was seen is in no comparison, but in today's list.
  const isLate = since <= wanted.at;
  const lists = known.lists.filter(({ isByNames }) => !isByNames && !isLate);
  if (changes.all.length === 0 && !isLate) return { ...known, lists };
  const sides = renewed(known.sides, await compare(tx, asking, changes));
  const matches = await countMatches(tx, wanted);
  // A list as it was stays whatever changes.
  return { ...known, sides, matches, lists: lists.filter(({ part }) => part === 'then') };
}

async function compareAll(db: Db, asking: Asking): Promise<Comparison> {
  const { wanted } = asking;
  const { most } = pastBounds;
  // First: what is committed while it is compared is looked for again.
  const mark = await markNow(db, wanted.asked.siteId);
  const changes = await changedSince(db, wanted, wanted.at, most + 1);
  if (changes.all.length > most)
    refuse(`more than ${shownNumber(most)} entries have changed since then; ask for a later moment`);
  const sides = await compare(db, asking, changes);
  const comparison = { sides, matches: await countMatches(db, wanted), mark, lists: [] };
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
