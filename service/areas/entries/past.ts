import { parseQuery } from '../../../contract/rules/query/text.ts';
import { readQuery } from '../../../contract/rules/query/read.ts';
import type { PastDifference, PastState } from '../../../contract/generated/types.gen.ts';
import type { Db } from '../../kernel/db/database.ts';
import { ApiError, invalid } from '../../kernel/http/errors.ts';
import type { Call } from '../../kernel/http/handler.ts';
import { readMoment } from '../../kernel/http/moments.ts';
import { type DateTimeBehavior, findField, type SchemaField, type Zones } from '../schema/index.ts';
import { askedIn, conditionOr400, fieldsCalled, orderCalled, typeOf, zonesFor } from './asking.ts';
import {
  compareWithToday,
  type Compared,
  inOneState,
  type PageOf,
  type PastRow,
  pastRows,
  type PastWanted,
} from './past.store.ts';
import { countMatches } from './rows.store.ts';
import { shownRows } from './shown-dates.ts';

/** Entries that changed since then are compared one by one: at most so many. */
const MOST_CHANGED = 20_000;

type Row = Readonly<Record<string, unknown>> & { EntryId: number };

/** Entries that have changed, by what that did to the answer. */
interface Sides {
  all: number[];
  was: number[];
  is: number[];
  added: number[];
  removed: number[];
  changed: number[];
}

const idsOf = (compared: readonly Compared[], holds: (each: Compared) => boolean): number[] =>
  compared.filter(holds).map(({ entryId }) => entryId);

const sidesOf = (compared: readonly Compared[]): Sides => ({
  all: idsOf(compared, () => true),
  was: idsOf(compared, ({ was }) => was),
  is: idsOf(compared, ({ is }) => is),
  added: idsOf(compared, ({ was, is }) => is && !was),
  removed: idsOf(compared, ({ was, is }) => was && !is),
  changed: idsOf(compared, ({ differs }) => differs),
});

function pageOf(sides: Sides, only: PastState | undefined): PageOf {
  if (only === undefined) return { was: sides.was, is: [], unchangedBut: sides.all };
  return only === 'added'
    ? { was: [], is: sides.added, unchangedBut: undefined }
    : { was: sides[only], is: [], unchangedBut: undefined };
}

async function totalOf(db: Db, wanted: PastWanted, sides: Sides, only: PastState | undefined) {
  if (only !== undefined) return sides[only].length;
  return (await countMatches(db, wanted)) - sides.is.length + sides.was.length;
}

/** How a row of the answer is different today; undefined where it is not. */
function differenceOf(
  { entryId, isGone, mergedInto }: PastRow,
  was: Row,
  today: Row | undefined,
  state: PastState | undefined,
): PastDifference | undefined {
  if (state === undefined) return undefined;
  const names = [...new Set([...Object.keys(was), ...Object.keys(today ?? {})])].filter(
    (name) => name !== 'EntryId' && JSON.stringify(was[name]) !== JSON.stringify(today?.[name]),
  );
  const held = today && Object.fromEntries(Object.entries(today).filter(([name]) => names.includes(name)));
  return {
    entryId,
    state,
    ...(state === 'removed' && { isDeleted: isGone }),
    ...(mergedInto !== null && { mergedEntryId: mergedInto }),
    ...(today && { fields: names, today: { EntryId: entryId, ...held } }),
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
  const differences = page.flatMap((each, at) => {
    if (!states.has(each.entryId)) return [];
    const was = JSON.parse(rows[at] ?? '{}') as Row;
    const [text] = each.today === null ? [] : show([each.today]);
    const today = text === undefined ? undefined : (JSON.parse(text) as Row);
    return differenceOf(each, was, today, states.get(each.entryId)) ?? [];
  });
  return { rows, differences };
}

const readPast = (text: string): Date => {
  const at = readMoment('asOf', text);
  if (at.getTime() > Date.now()) throw invalid([{ path: 'asOf', message: 'lies ahead' }]);
  return at;
};

function refuseMany(compared: readonly Compared[]): void {
  if (compared.length <= MOST_CHANGED) return;
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
  };
  return inOneState(db, async (tx) => {
    const compared = await compareWithToday(tx, wanted, fields, MOST_CHANGED + 1);
    refuseMany(compared);
    const sides = sidesOf(compared);
    const page = await pastRows(tx, wanted, pageOf(sides, body.only), window, fields, rendering);
    const { rows, differences } = answerOf(page, sides, { fields, behavior, zones });
    const total = await totalOf(tx, wanted, sides, body.only);
    const counts = `"added":${sides.added.length},"removed":${sides.removed.length},"changed":${sides.changed.length}`;
    return {
      status: 200,
      json: `{"totalRecords":${total},${counts},"rows":[${rows.join(',')}],"differences":${JSON.stringify(differences)}}`,
    };
  });
}
