import { readFilters, readQuery } from '../../../../contract/rules/query/read.ts';
import { parseQuery } from '../../../../contract/rules/query/text.ts';
import type { Condition, ReadQuery } from '../../../../contract/rules/query/tree.ts';
import { invalid, notFound } from '../../../kernel/http/errors.ts';
import { ok, type Call, type Handlers, type Answer } from '../../../kernel/http/handler.ts';
import { HISTORY_DAYS, readModifiedSince, readMoment } from '../../../kernel/http/moments.ts';
import {
  type DateTimeBehavior,
  findField,
  loadSchema,
  readBySchema,
  type SchemaField,
  type SiteSchema,
} from '../../schema/index.ts';
import {
  askedIn,
  conditionOr400,
  fieldsCalled,
  orderCalled,
  typeCalled,
  typeOf,
  zonesFor,
} from './asking.ts';
import { changedEntries, typesWithHistory } from '../history/changes.store.ts';
import { rowsAt } from '../history/historical.store.ts';
import { countMatches, type Wanted, type Window } from './matching.store.ts';
import { positionIn } from './position.store.ts';
import { matchingIds, namedEntries, readRows, type Rows } from './rows.store.ts';
import { joinRows } from './rows-text.ts';
import { shownRows, shownText, shownValue } from './shown-dates.ts';
import { currencyFaults } from '../write/written.ts';
import type { DataRequestResultVm } from '../../../../contract/generated/types.gen.ts';
import { holdsMoney } from '../../../../contract/rules/fields.ts';
import { lastTouched, readValues, typesOfEntries } from './cells.store.ts';

interface Item {
  entryId: number;
  fieldId: number;
  currencyCode?: string | null;
}

const key = ({ entryId, fieldId }: Item): string => `${entryId}/${fieldId}`;

/** Why an item cannot be read; the others are answered all the same (shapes 4). */
function refusalOf(item: Item, schema: SiteSchema, types: ReadonlyMap<number, number>): string | undefined {
  const type = types.get(item.entryId);
  if (type === undefined) return `Entry ${item.entryId} does not exist`;
  const field = schema.fieldsById.get(item.fieldId);
  if (!field) return `Field with id ${item.fieldId} does not exist`;
  return field.typeId === type
    ? undefined
    : `Field ${field.apiName} is not one of the type of entry ${item.entryId}`;
}

/** POST entrydata/get: single values, each with who changed it last. */
async function readCells(call: Call<'readEntryData'>): Promise<Answer<'readEntryData'>> {
  const { reads: db, caller, body, query, services } = call;
  const { siteId } = caller;
  const behavior = query.dateTimeBehavior === 1 ? 1 : 0;
  const faults = currencyFaults(body);
  if (faults.length > 0) throw invalid(faults);
  const schema = await loadSchema(db, siteId);
  const zones = await zonesFor(db, caller, behavior);
  const types = await typesOfEntries(db, siteId, [...new Set(body.map((item) => item.entryId))]);
  const readable = body.filter((item) => refusalOf(item, schema, types) === undefined);
  const values = await valuesOf(db, readable, schema, {
    siteId,
    linkTo: query.resolveReferenceUrl ? services.publicUrl : undefined,
    extended: query.fillExtendedData ?? false,
    wrapIntoArrays: query.wrapIntoArrays ?? false,
  });
  const distinct = [...new Map(readable.map((item) => [key(item), item])).values()];
  const touched = new Map((await lastTouched(db, siteId, distinct)).map((each) => [key(each), each]));
  return ok(
    body.map((item): DataRequestResultVm => {
      const { entryId, fieldId } = item;
      const description = refusalOf(item, schema, types);
      if (description !== undefined) return { entryId, fieldId, error: { code: 404, description } };
      const field = schema.fieldsById.get(fieldId);
      const stored = values.get(entryId)?.get(fieldId);
      const value = field && stored !== undefined ? shownValue(stored, field, behavior, zones) : undefined;
      const last = touched.get(key(item));
      return {
        entryId,
        rowId: entryId,
        fieldId,
        isNoData: value === undefined,
        ...(value !== undefined && { value: value as DataRequestResultVm['value'] }),
        ...(field && holdsMoney(field) && item.currencyCode && { requestedCurrencyCode: item.currencyCode }),
        ...(last && { modified: last.modified.toISOString(), modifiedBy: last.modifiedBy }),
      };
    }),
  );
}

/** The values of all items by entry and field: one statement for each type among them. */
async function valuesOf(
  db: Call['db'],
  items: readonly Item[],
  schema: SiteSchema,
  rendering: Parameters<typeof readValues>[3],
): Promise<Map<number, ReadonlyMap<number, unknown>>> {
  const fieldOf = (item: Item): SchemaField | undefined => schema.fieldsById.get(item.fieldId);
  const values = new Map<number, ReadonlyMap<number, unknown>>();
  for (const [typeId, ofType] of Map.groupBy(items, (item) => fieldOf(item)?.typeId)) {
    if (typeId === undefined) continue;
    const fields = [...new Set(ofType.flatMap((item) => fieldOf(item) ?? []))];
    const ids = [...new Set(ofType.map((item) => item.entryId))];
    // oxlint-disable-next-line no-await-in-loop -- a request seldom names more than one type
    const read = await readValues(db, ids, fields, rendering);
    for (const [entryId, cells] of read) values.set(entryId, cells);
  }
  return values;
}

/** A JSON list of items that come in pieces; its first part is more than the bracket, as it is what can fail. */
async function* listOf(pieces: AsyncIterable<readonly (string | number)[]>): AsyncGenerator<string> {
  let lead = '[';
  for await (const piece of pieces) {
    yield lead + piece.join(',');
    lead = ',';
  }
  yield lead === '[' ? '[]' : ']';
}

/** `position`: where an entry stands in the list, null where it does not; undefined where nobody asked. */
const result = (
  totalRecords: number,
  rows: string,
  position?: number | null,
): { status: 200; json: string } => ({
  status: 200,
  json: `{"totalRecords":${totalRecords},"rows":[${rows}]${position === undefined ? '' : `,"position":${position}`}}`,
});

interface RowsAsked {
  query: (find: (name: string) => SchemaField | undefined) => ReadQuery;
  fields: readonly string[] | undefined;
  orderBy: string | undefined;
  window: Window;
  dateTimeBehavior: DateTimeBehavior;
  resolveReferenceUrls: boolean;
  wrapIntoArrays: boolean;
  textLimit: number | undefined;
  positionOf: number | undefined;
}

/** How many rows match in all; beyond the last page they are counted for themselves. */
async function totalOf(
  db: Call['db'],
  wanted: Wanted,
  { skip }: Window,
  { count, total }: Rows,
): Promise<number> {
  if (total !== undefined) return total;
  return count > 0 || skip === 0 ? skip + count : countMatches(db, wanted);
}

async function answerRows(
  call: Pick<Call, 'db' | 'reads' | 'gone' | 'caller' | 'services'>,
  typeName: string,
  asked: RowsAsked,
) {
  const { reads: db, caller, services } = call;
  const { siteId } = caller;
  const { dateTimeBehavior: behavior } = asked;
  const zones = await zonesFor(db, caller, behavior);
  const rendering = {
    siteId,
    linkTo: asked.resolveReferenceUrls ? services.publicUrl : undefined,
    extended: false,
    wrapIntoArrays: asked.wrapIntoArrays,
    textLimit: asked.textLimit,
  };
  const read = await readBySchema(db, siteId, async (schema) => {
    const type = typeCalled(schema, typeName);
    const condition = conditionOr400(asked.query((name) => findField(type, name)));
    const fields = fieldsCalled(type, asked.fields);
    const order = orderCalled(type, asked.orderBy);
    const wanted: Wanted = { type, condition, order, asked: askedIn(siteId, behavior, zones) };
    const rows = await readRows(call, wanted, asked.window, fields, rendering);
    const { positionOf } = asked;
    const position = positionOf === undefined ? undefined : await positionIn(db, wanted, positionOf);
    return { ...rows, wanted, fields, position };
  });
  const total = await totalOf(db, read.wanted, asked.window, read);
  return result(total, shownText(read.text, read.fields, behavior, zones), read.position);
}

const DAY_MS = 86_400_000;

/** From when changes are told: as asked, by default as far back as it goes (shapes 1). */
function sinceOf(modifiedSince: string | undefined): Date {
  const now = Date.now();
  return modifiedSince === undefined
    ? new Date(now - HISTORY_DAYS * DAY_MS)
    : readModifiedSince(modifiedSince, now);
}

async function* changedEverywhere(db: Call['db'], siteId: number, since: Date): AsyncGenerator<string[]> {
  for (const typeId of await typesWithHistory(db, siteId))
    yield* changedEntries(db, { siteId, typeId, since, indirect: false });
}

/** At most so many rows of the past are answered at once; more are asked for by their ids. */
const MOST_PAST_ROWS = 10_000;

/** What both ways of asking for rows say beside the query, with its defaults (spec 4.4). */
const rowsAsked = (
  query: RowsAsked['query'],
  asked: {
    fields?: string[];
    orderBy?: string;
    limit?: number;
    skip?: number;
    dateTimeBehavior?: number;
    resolveReferenceUrls?: boolean;
    wrapIntoArrays?: boolean;
    textLimit?: number;
    positionOf?: number;
  },
): RowsAsked => ({
  query,
  fields: asked.fields,
  orderBy: asked.orderBy,
  window: { limit: asked.limit ?? 1000, skip: asked.skip ?? 0 },
  dateTimeBehavior: asked.dateTimeBehavior === 1 ? 1 : 0,
  resolveReferenceUrls: asked.resolveReferenceUrls ?? false,
  wrapIntoArrays: asked.wrapIntoArrays ?? false,
  textLimit: asked.textLimit,
  positionOf: asked.positionOf,
});

type Reads =
  | 'listEntries'
  | 'listEntriesHistory'
  | 'listEntriesAllHistory'
  | 'listAllEntriesHistory'
  | 'filterEntries'
  | 'readEntryData'
  | 'queryRows'
  | 'queryRowsByBody'
  | 'readHistoricalData';

export const entryReadHandlers: Handlers<Reads> = {
  async listEntries({ reads: db, caller, params }) {
    const type = await typeOf(db, caller.siteId, params.entryTypeId);
    return { status: 200, jsonParts: listOf(namedEntries(db, caller.siteId, type)) };
  },

  async listEntriesHistory({ reads: db, caller, params, query }) {
    const type = await typeOf(db, caller.siteId, params.entryTypeId);
    const since = sinceOf(query.modifiedSince);
    const changed = { siteId: caller.siteId, typeId: type.id, since, indirect: false };
    return { status: 200, jsonParts: listOf(changedEntries(db, changed)) };
  },

  async listEntriesAllHistory({ reads: db, caller, params, query }) {
    const type = await typeOf(db, caller.siteId, params.entryTypeId);
    const since = sinceOf(query.modifiedSince);
    const changed = { siteId: caller.siteId, typeId: type.id, since, indirect: true };
    return { status: 200, jsonParts: listOf(changedEntries(db, changed)) };
  },

  async listAllEntriesHistory({ reads: db, caller, query }) {
    const since = sinceOf(query.modifiedSince);
    return { status: 200, jsonParts: listOf(changedEverywhere(db, caller.siteId, since)) };
  },

  async filterEntries({ reads: db, caller, params, body }) {
    const type = await typeOf(db, caller.siteId, params.entryTypeId);
    const byId = new Map(type.fields.map((field) => [field.id, field]));
    const read = readFilters(body, (id) => byId.get(id));
    const faults = [...(read.faults ?? []), ...currencyFaults(body)];
    const condition: Condition = conditionOr400(faults.length > 0 ? { faults } : read);
    const asked = askedIn(caller.siteId, 0, { user: 'UTC', site: 'UTC' });
    return { status: 200, jsonParts: listOf(matchingIds(db, { type, condition, order: undefined, asked })) };
  },

  readEntryData: readCells,

  queryRows: (call) => {
    const { query } = call;
    const read: RowsAsked['query'] = (find) => parseQuery(query.query ?? '', find);
    return answerRows(call, call.params.entryTypeId, rowsAsked(read, query));
  },

  queryRowsByBody: (call) => {
    const { body } = call;
    const read: RowsAsked['query'] = (find) =>
      typeof body.query === 'string' ? parseQuery(body.query, find) : readQuery(body.query ?? {}, find);
    return answerRows(call, call.params.entryTypeId, rowsAsked(read, body));
  },

  async readHistoricalData(call) {
    const { reads: db, caller, body, query } = call;
    const { siteId } = caller;
    const behavior = query.dateTimeBehavior === 1 ? 1 : 0;
    const schema = await loadSchema(db, siteId);
    const type = schema.typesById.get(body.entryTypeId);
    if (!type) throw notFound(`Entry type ${body.entryTypeId}`);
    const byId = new Map(type.fields.map((field) => [field.id, field]));
    const unknown = (body.fields ?? []).flatMap((id, index) =>
      byId.has(id) ? [] : [{ path: `fields.${index}`, message: `Field with id ${id} does not exist` }],
    );
    if (unknown.length > 0) throw invalid(unknown);
    const fields = body.fields ? [...new Set(body.fields)].flatMap((id) => byId.get(id) ?? []) : type.fields;
    const zones = await zonesFor(db, caller, behavior);
    const past = {
      siteId,
      typeId: type.id,
      entryIds: body.entries,
      fields,
      at: readMoment('fromDate', body.fromDate),
    };
    const rendering = {
      siteId,
      linkTo: undefined,
      extended: false,
      wrapIntoArrays: query.wrapIntoArrays ?? false,
    };
    const rows = await rowsAt(db, past, MOST_PAST_ROWS + 1, rendering);
    if (rows.length > MOST_PAST_ROWS)
      throw invalid([
        { path: 'entries', message: `is needed: more than ${MOST_PAST_ROWS} entries were there then` },
      ]);
    return result(rows.length, joinRows(shownRows(rows, fields, behavior, zones)));
  },
};
