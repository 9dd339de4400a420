import { ServiceError, toServiceError } from '../../api/errors.ts';
import { listAllFields, updateEntries } from '../../api/generated/sdk.gen.ts';
import type { StoreRequestVm, WrittenValue } from '../../api/generated/types.gen.ts';
import { isOfAll, isPassing } from '../../bulk/outcome.ts';
import type { Progress, RowResult } from '../../import/keep.ts';
import type { Performer, Piece } from '../../import/performer.ts';
import type { Planned } from '../../import/plan.ts';
import { ENTRY_ID } from '../export/headings.ts';
import { schemaOf } from '../schema.ts';
import type { Field } from '../schema.ts';
import { readRows } from '../use-rows.ts';
import { valueIn } from '../values.ts';
import type { Work } from './check.ts';
import { entriesWith } from './look-up.ts';
import { heldIn, isSame } from './stored.ts';
import type { Held } from './stored.ts';

// A request is one transaction: small enough not to hold others up, and to be sent again without what was refused.
const MOST_ROWS = 200;
const MOST_ITEMS = 2000;
const MOST_TEXT = 2_000_000;

const workOf = ({ work }: Planned): Work => work as Work; // what was planned for entries holds their work
const textOf = (plan: Planned): number =>
  workOf(plan).items.reduce((sum, { value }) => sum + (typeof value === 'string' ? value.length : 0), 0);

/** Rows in pieces, each of which is one request. */
export function piecesOf(rows: readonly Planned[]): readonly (readonly Planned[])[] {
  const pieces: Planned[][] = [];
  let [items, text] = [0, 0];
  for (const plan of rows) {
    items += workOf(plan).items.length;
    text += textOf(plan);
    const last = pieces.at(-1);
    if (last && last.length < MOST_ROWS && items <= MOST_ITEMS && text <= MOST_TEXT) last.push(plan);
    else {
      pieces.push([plan]);
      [items, text] = [workOf(plan).items.length, textOf(plan)];
    }
  }
  return pieces;
}

const written = (held: Held | undefined): WrittenValue => {
  if (held === undefined) return null;
  if (typeof held !== 'object') return held;
  return 'currencyCode' in held ? held.value : [...held];
};

function requestsOf(plan: Planned): StoreRequestVm[] {
  const { items, before, ignoreNearDups } = workOf(plan);
  return items.map(({ fieldId, value, currencyCode }) => {
    const held = before[fieldId];
    const code = typeof held === 'object' && 'currencyCode' in held ? held.currencyCode : undefined;
    return {
      // A new entry's number is that of its row.
      entryId: plan.id ?? -plan.row,
      fieldId,
      value,
      ...(currencyCode !== undefined && { currencyCode }),
      ...(ignoreNearDups && { ignoreNearDups }),
      // What somebody else wrote since the check is not overwritten (shapes 1, lost updates).
      ...(plan.id !== undefined && {
        expected: { value: written(held), ...(code !== undefined && { currencyCode: code }) },
      }),
    };
  });
}

const MEANWHILE = 'Somebody else changed this entry in the meantime';
const DONE = { create: 'Created', update: 'Changed' };
const done = (plan: Planned, id: number | undefined): RowResult => ({
  result: 'done',
  id,
  done: [plan.outcome === 'create' ? DONE.create : DONE.update],
});
const failed = (plan: Planned, why: string, requestId?: string): RowResult => ({
  result: 'failed',
  id: plan.id,
  done: [],
  why,
  requestId,
});

/** Whether an entry holds all that a row wants. */
const holdsAll = (plan: Planned, held: (fieldId: number) => Held | undefined): boolean =>
  workOf(plan).items.every(({ fieldId, value, currencyCode }) => {
    const wanted =
      value === null
        ? undefined
        : typeof value === 'number' && currencyCode !== undefined
          ? { value, currencyCode }
          : value;
    const now = held(fieldId);
    const amount = typeof now === 'object' && 'currencyCode' in now && typeof wanted === 'number';
    return amount ? now.value === wanted : isSame(wanted, now);
  });

/** What a refused request says of each row; undefined: of none in particular. */
function refusals(rows: readonly Planned[], error: ServiceError): Map<number, RowResult> {
  const ofItem = rows.flatMap((plan) => workOf(plan).items.map(() => plan));
  const words = new Map<number, string[]>();
  for (const { path, message } of error.fields) {
    const [, index] = /^storeRequests[.[](\d+)/.exec(path) ?? [];
    const plan = index === undefined ? undefined : ofItem[Number(index)];
    if (!plan) continue;
    const said = words.get(plan.row) ?? [];
    words.set(plan.row, [...said, path.endsWith('.expected') ? MEANWHILE : message]);
  }
  const byRow = new Map(rows.map((plan) => [plan.row, plan]));
  return new Map(
    [...words].flatMap(([row, said]) => {
      const plan = byRow.get(row);
      return plan ? [[row, failed(plan, [...new Set(said)].join('. '), error.requestId)] as const] : [];
    }),
  );
}

/**
 * Stores rows in one request. Where one is refused, nothing was stored (shapes 4): the request is sent again without
 * those that the refusal names, and in halves where it names none.
 */
async function store(
  typeId: number,
  rows: readonly Planned[],
  results: Map<number, RowResult>,
): Promise<void> {
  if (rows.length === 0) return;
  try {
    const { data } = await updateEntries({
      path: { entryTypeId: String(typeId) },
      body: { storeRequests: rows.flatMap(requestsOf) },
    });
    let at = 0;
    for (const plan of rows) {
      results.set(plan.row, done(plan, data[at]?.entryId));
      at += workOf(plan).items.length;
    }
  } catch (thrown) {
    if (isPassing(thrown)) throw thrown;
    const error = toServiceError(thrown);
    const refused = refusals(rows, error);
    for (const [row, result] of refused) results.set(row, result);
    if (refused.size > 0)
      return store(
        typeId,
        rows.filter(({ row }) => !refused.has(row)),
        results,
      );
    if (isOfAll(error) || rows.length === 1) {
      for (const plan of rows) results.set(plan.row, failed(plan, error.message, error.requestId));
      return undefined;
    }
    const half = Math.ceil(rows.length / 2);
    await store(typeId, rows.slice(0, half), results);
    await store(typeId, rows.slice(half), results);
  }
}

/** Entries with what they hold in the fields that rows want. */
async function reread(
  typeId: number,
  fields: readonly Field[],
  rows: readonly Planned[],
  key: string,
  values: readonly (string | number)[],
): Promise<{ id: number; held: (fieldId: number) => Held | undefined }[]> {
  const wanted = new Set(rows.flatMap((plan) => workOf(plan).items.map(({ fieldId }) => fieldId)));
  const compared = fields.filter(({ id }) => wanted.has(id));
  const byId = new Map(compared.map((field) => [field.id, field]));
  const found = [];
  const names = compared.map(({ apiName }) => apiName);
  for await (const some of entriesWith(typeId, key, values, names))
    for (const row of some)
      found.push({
        id: row.EntryId,
        held: (fieldId: number) => {
          const field = byId.get(fieldId);
          return field && heldIn(valueIn(row, field), field);
        },
      });
  return found;
}

const isUnsure = (far: Progress | undefined): boolean => far?.unsure === true && far.done.length === 0;

/** Creations whose answer was lost: what is there now, by no other row of this import, is what they made. */
async function findMade(
  typeId: number,
  fields: readonly Field[],
  { rows, progress, made }: Piece,
): Promise<Map<number, RowResult>> {
  const unsure = rows.filter(({ row, id }) => id === undefined && isUnsure(progress.get(row)));
  const key = fields.find(({ isKey }) => isKey);
  if (unsure.length === 0 || !key) return new Map();
  const there = await reread(
    typeId,
    fields,
    unsure,
    key.apiName,
    unsure.map(({ name }) => name).filter(Boolean),
  );
  const taken = new Set(made);
  const results = new Map<number, RowResult>();
  for (const plan of unsure) {
    const above = progress.get(plan.row)?.above ?? 0;
    const found = there.find(({ id, held }) => id > above && !taken.has(id) && holdsAll(plan, held));
    if (!found) continue;
    taken.add(found.id);
    results.set(plan.row, done(plan, found.id));
  }
  return results;
}

/** Changes that were refused because the entry holds something else: it may be just what the row wants. */
async function pardon(
  typeId: number,
  fields: readonly Field[],
  rows: readonly Planned[],
  results: Map<number, RowResult>,
): Promise<void> {
  const doubtful = rows.filter(({ row }) => results.get(row)?.why?.includes(MEANWHILE));
  if (doubtful.length === 0) return;
  const ids = doubtful.flatMap(({ id }) => id ?? []);
  const there = await reread(typeId, fields, doubtful, ENTRY_ID, ids);
  const byId = new Map(there.map((entry) => [entry.id, entry]));
  for (const plan of doubtful) {
    const entry = byId.get(plan.id ?? 0);
    if (entry && holdsAll(plan, entry.held)) results.set(plan.row, done(plan, entry.id));
  }
}

/** Keeps for the next time what is stored of a piece that did not come to its end, and what may be. */
function remember(
  rows: readonly Planned[],
  results: ReadonlyMap<number, RowResult>,
  progress: ReadonlyMap<number, Progress>,
): void {
  for (const { row, id } of rows) {
    const far = progress.get(row);
    const result = results.get(row);
    if (!far) continue;
    if (result?.result === 'done') Object.assign(far, { id: result.id, done: [...result.done] });
    else if (!result && id === undefined) far.unsure = true;
  }
}

/** What is stored by an earlier attempt. */
const stored = ({ rows, progress }: Piece): Map<number, RowResult> =>
  new Map(
    rows.flatMap((plan) => {
      const far = progress.get(plan.row);
      return far && far.done.length > 0 ? [[plan.row, done(plan, far.id)] as const] : [];
    }),
  );

/** Entries go in pieces, each of which is stored whole or not at all. */
export function entriesPerformer(typeId: number): Performer {
  let fields: readonly Field[] | undefined;
  return {
    atOnce: 1,
    pieces: piecesOf,
    async mark() {
      const { rows } = await readRows(typeId, { orderBy: '-EntryId', fields: [], limit: 1 });
      return rows[0]?.EntryId ?? 0;
    },
    async perform(piece) {
      fields ??= schemaOf([], (await listAllFields()).data).fieldsOf(typeId);
      const results = new Map([...stored(piece), ...(await findMade(typeId, fields, piece))]);
      const left = piece.rows.filter(({ row }) => !results.has(row));
      try {
        await store(typeId, left, results);
      } catch (thrown) {
        remember(left, results, piece.progress);
        throw thrown;
      }
      await pardon(typeId, fields, left, results);
      return results;
    },
    effects: ['createEntries', 'updateEntries'],
  };
}
