import { parseQuery } from '../../../contract/rules/query/text.ts';
import { readQuery } from '../../../contract/rules/query/read.ts';
import type { PastDifference, PastState } from '../../../contract/generated/types.gen.ts';
import type { Db } from '../../kernel/db/database.ts';
import { ApiError, invalid } from '../../kernel/http/errors.ts';
import type { Call } from '../../kernel/http/handler.ts';
import { readMoment } from '../../kernel/http/moments.ts';
import { type DateTimeBehavior, findField, type SchemaField, type Zones } from '../schema/index.ts';
import { askedIn, conditionOr400, fieldsCalled, orderCalled, typeOf, zonesFor } from './asking.ts';
import { countMatches } from './matching.store.ts';
import type { PageOf } from './past-ids.store.ts';
import { type Comparison, comparisonAt, rememberComparison, type Sides, sidesOf } from './past-sides.ts';
import type { PastWanted } from './past-values.store.ts';
import { compareWithToday, inOneState, type PastRow, pastRows } from './past.store.ts';
import { placeOf } from './positions.ts';
import { lastChange } from './rows.store.ts';
import { shownRows } from './shown-dates.ts';

/** Entries that changed since then are compared one by one: at most so many. */
const MOST_CHANGED = 20_000;

type Row = PastDifference['today'] & object;

interface Part {
  only: PastState | undefined;
  withAdded: boolean;
}

function pageOf(sides: Sides, { only, withAdded }: Part): PageOf {
  const without = withAdded ? [] : sides.added;
  if (only === undefined)
    return {
      was: sides.was,
      is: withAdded ? sides.added : [],
      unchangedBut: sides.all,
      without,
      besides: sides.removed,
    };
  const none = { unchangedBut: undefined, without: [], besides: [] };
  return only === 'added' ? { was: [], is: sides.added, ...none } : { was: sides[only], is: [], ...none };
}

function totalOf({ sides, matches }: Comparison, { only, withAdded }: Part): number {
  if (only !== undefined) return sides[only].length;
  return matches - sides.is.length + sides.was.length + (withAdded ? sides.added.length : 0);
}

/** Compares with today, or takes what was found for the page before. */
async function comparisonOf(tx: Db, wanted: PastWanted, fields: readonly SchemaField[]): Promise<Comparison> {
  const { type, condition, asked, at } = wanted;
  const changed = await lastChange(tx, wanted);
  const key =
    changed &&
    placeOf([asked.siteId, type, changed, condition, asked.meaning, at, fields.map(({ id }) => id)], 0);
  const known = key === undefined ? undefined : comparisonAt(key);
  if (known) return known;
  const compared = await compareWithToday(tx, wanted, fields, MOST_CHANGED + 1);
  refuseMany(compared.length);
  const comparison = { sides: sidesOf(compared), matches: await countMatches(tx, wanted) };
  if (key !== undefined) rememberComparison(key, comparison);
  return comparison;
}

/** How a row of the answer is different today. */
function differenceOf(
  { entryId, isGone, mergedInto, differing }: PastRow,
  today: Row | undefined,
  state: PastState,
  fields: readonly SchemaField[],
): PastDifference {
  const ids = new Set(differing);
  const names = fields.filter(({ id }) => ids.has(id)).map(({ apiName }) => apiName);
  const held =
    today && Object.fromEntries(names.flatMap((name) => (name in today ? [[name, today[name]]] : [])));
  const cut = today?.$cut?.filter((name) => names.includes(name)) ?? [];
  return {
    entryId,
    state,
    ...(state === 'removed' && { isDeleted: isGone }),
    ...(mergedInto !== null && { mergedEntryId: mergedInto }),
    ...(today && {
      fields: names,
      today: { EntryId: entryId, ...held, ...(cut.length > 0 && { $cut: cut }) },
    }),
  };
}

interface Shown {
  fields: readonly SchemaField[];
  behavior: DateTimeBehavior;
  zones: Zones;
}

/** The rows in the zone that was asked for, and the differences of those that have changed. */
function answerOf(page: readonly PastRow[], sides: Sides, { fields, behavior, zones }: Shown) {
  const states = new Map<number, PastState>();
  for (const state of ['added', 'removed', 'changed'] as const)
    for (const id of sides[state]) states.set(id, state);
  const show = (texts: readonly string[]) => shownRows(texts, fields, behavior, zones);
  const rows = show(page.map(({ row }) => row));
  const differences = page.flatMap((each) => {
    const state = states.get(each.entryId);
    if (!state) return [];
    const [text] = each.today === null ? [] : show([each.today]);
    return differenceOf(each, text === undefined ? undefined : (JSON.parse(text) as Row), state, fields);
  });
  return { rows, differences };
}

const readPast = (text: string): Date => {
  const at = readMoment('asOf', text);
  if (at.getTime() > Date.now()) throw invalid([{ path: 'asOf', message: 'lies ahead' }]);
  return at;
};

function refuseMany(changed: number): void {
  if (changed <= MOST_CHANGED) return;
  const message = `more than ${MOST_CHANGED} entries have changed since then: ask for a later moment`;
  throw new ApiError(400, `The list cannot be told as it was: ${message}`, [{ path: 'asOf', message }]);
}

/** Rows as a query would have found them at a moment, and how they differ from today. */
export async function rowsAsOf(call: Call<'queryRowsAsOf'>): Promise<{ status: 200; json: string }> {
  const { db, caller, params, body } = call;
  const { siteId } = caller;
  const behavior: DateTimeBehavior = body.dateTimeBehavior === 1 ? 1 : 0;
  const at = readPast(body.asOf);
  const type = await typeOf(db, siteId, params.entryTypeId);
  const find = (name: string) => findField(type, name);
  const condition = conditionOr400(
    typeof body.query === 'string' ? parseQuery(body.query, find) : readQuery(body.query ?? {}, find),
  );
  const fields = fieldsCalled(type, body.fields);
  const zones = await zonesFor(db, caller, behavior);
  const order = orderCalled(type, body.orderBy);
  const wanted: PastWanted = { type, condition, order, asked: askedIn(siteId, behavior, zones), at };
  const window = { limit: body.limit ?? 1000, skip: body.skip ?? 0 };
  const rendering = {
    siteId,
    linkTo: undefined,
    extended: false,
    wrapIntoArrays: body.wrapIntoArrays ?? false,
    textLimit: body.textLimit,
  };
  const part = { only: body.only, withAdded: body.withAdded ?? false };
  return inOneState(db, async (tx) => {
    const comparison = await comparisonOf(tx, wanted, fields);
    const { sides } = comparison;
    const page = await pastRows(tx, wanted, pageOf(sides, part), window, fields, rendering);
    const { rows, differences } = answerOf(page, sides, { fields, behavior, zones });
    const total = totalOf(comparison, part);
    const counts = `"added":${sides.added.length},"removed":${sides.removed.length},"changed":${sides.changed.length}`;
    return {
      status: 200,
      json: `{"totalRecords":${total},${counts},"rows":[${rows.join(',')}],"differences":${JSON.stringify(differences)}}`,
    };
  });
}
