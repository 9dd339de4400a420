import type { DataRequestResultVm } from '../../../../contract/generated/types.gen.ts';
import type { QueryParseResult } from '../../../../contract/rules/query/condition.ts';
import {
  parseFilterItems,
  parseQuery,
  parseQueryObject,
  type FindField,
} from '../../../../contract/rules/query/parse.ts';
import { holdsMoney } from '../../../../contract/rules/schema/fields.ts';
import { badRequest } from '../../../kernel/api-error.ts';
import { type Call, type HandlerResponse, type Handlers, ok } from '../../../kernel/http/handler.ts';
import {
  type DateTimeBehavior,
  findField,
  loadSchema,
  readWithSchema,
  type SchemaField,
  type SiteSchema,
} from '../../schema/index.ts';
import { type CellRef, loadEntryTypes, loadLastChanges, loadValues } from './cells.store.ts';
import { countMatches } from './matching.store.ts';
import { findPosition } from './position.store.ts';
import {
  createQueryContext,
  listCurrencyErrors,
  loadType,
  loadZones,
  requireCondition,
  requireType,
  type ResolvedQuery,
  resolveRowQuery,
  type RowWindow,
} from './resolve-query.ts';
import type { Rendering } from './row-json.store.ts';
import {
  formatRowResult,
  localizeRowsText,
  localizeValue,
  ROW_SEPARATOR,
  streamJsonList,
} from './row-text.ts';
import { readRows, type Rows, streamMatchingIds, streamNamedEntries } from './rows.store.ts';

type QueryOperations = 'listEntries' | 'filterEntries' | 'readEntryData' | 'queryRows' | 'queryRowsByBody';

export const entryQueryHandlers: Handlers<QueryOperations> = {
  async listEntries({ readDb: db, caller, params }) {
    const type = await loadType(db, caller.siteId, params.entryTypeId);
    return { status: 200, jsonParts: streamJsonList(streamNamedEntries(db, caller.siteId, type)) };
  },

  async filterEntries({ readDb: db, caller, params, body }) {
    const type = await loadType(db, caller.siteId, params.entryTypeId);
    const fieldsById = new Map(type.fields.map((field) => [field.id, field]));
    const result = parseFilterItems(body, (id) => fieldsById.get(id));
    const errors = [...(result.errors ?? []), ...listCurrencyErrors(body)];
    const condition = requireCondition(errors.length > 0 ? { errors } : result);
    const context = createQueryContext(caller.siteId, 0, { user: 'UTC', site: 'UTC' });
    const query: ResolvedQuery = { type, condition, sort: undefined, context };
    return { status: 200, jsonParts: streamJsonList(streamMatchingIds(db, query)) };
  },

  readEntryData: readCells,

  queryRows: (call) => {
    const { query } = call;
    const parse = (find: FindField) => parseQuery(query.query ?? '', find);
    return respondWithRows(call, call.params.entryTypeId, { ...query, parse });
  },

  queryRowsByBody: (call) => {
    const { body } = call;
    return respondWithRows(call, call.params.entryTypeId, { ...body, parse: getBodyParser(body) });
  },
};

const getBodyParser =
  ({ query }: Call<'queryRowsByBody'>['body']) =>
  (find: FindField): QueryParseResult =>
    typeof query === 'string' ? parseQuery(query, find) : parseQueryObject(query ?? {}, find);

interface CellRequest extends CellRef {
  currencyCode?: string | null;
}

const getCellKey = ({ entryId, fieldId }: CellRef): string => `${entryId}/${fieldId}`;

/** Why a cell cannot be read; undefined when it can. Other cells of the request are answered anyway (shapes 4). */
function getCellError(
  { entryId, fieldId }: CellRef,
  schema: SiteSchema,
  entryTypes: ReadonlyMap<number, number>,
): string | undefined {
  const typeId = entryTypes.get(entryId);
  if (typeId === undefined) return `Entry ${entryId} does not exist`;
  const field = schema.fieldsById.get(fieldId);
  if (!field) return `Field with id ${fieldId} does not exist`;
  return field.typeId === typeId
    ? undefined
    : `Field ${field.apiName} does not belong to the type of entry ${entryId}`;
}

/** POST entrydata/get: single values with the time and user of their last change. */
async function readCells(call: Call<'readEntryData'>): Promise<HandlerResponse<'readEntryData'>> {
  const { readDb: db, caller, body, query, services } = call;
  const { siteId } = caller;
  const behavior = query.dateTimeBehavior === 1 ? 1 : 0;
  const errors = listCurrencyErrors(body);
  if (errors.length > 0) throw badRequest(errors);
  const schema = await loadSchema(db, siteId);
  const zones = await loadZones(db, caller, behavior);
  const entryTypes = await loadEntryTypes(db, siteId, [...new Set(body.map(({ entryId }) => entryId))]);
  const readableCells = body.filter((cell) => getCellError(cell, schema, entryTypes) === undefined);
  const values = await loadCellValues(db, readableCells, schema, {
    siteId,
    linkTo: query.resolveReferenceUrl ? services.publicUrl : undefined,
    extended: query.fillExtendedData ?? false,
    wrapIntoArrays: query.wrapIntoArrays ?? false,
  });
  const distinctCells = [...new Map(readableCells.map((cell) => [getCellKey(cell), cell])).values()];
  const changes = await loadLastChanges(db, siteId, distinctCells);
  const changesByCell = new Map(changes.map((change) => [getCellKey(change), change]));
  return ok(
    body.map((cell): DataRequestResultVm => {
      const { entryId, fieldId, currencyCode } = cell;
      const description = getCellError(cell, schema, entryTypes);
      if (description !== undefined) return { entryId, fieldId, error: { code: 404, description } };
      const field = schema.fieldsById.get(fieldId);
      const stored = values.get(entryId)?.get(fieldId);
      const value = field && stored !== undefined ? localizeValue(stored, field, behavior, zones) : undefined;
      const change = changesByCell.get(getCellKey(cell));
      return {
        entryId,
        rowId: entryId,
        fieldId,
        isNoData: value === undefined,
        ...(value !== undefined && { value: value as DataRequestResultVm['value'] }),
        ...(field && holdsMoney(field) && currencyCode && { requestedCurrencyCode: currencyCode }),
        ...(change && { modified: change.modified.toISOString(), modifiedBy: change.modifiedBy }),
      };
    }),
  );
}

/** The values of cells by entry id and field id, with one statement per entry type. */
async function loadCellValues(
  db: Call['db'],
  cells: readonly CellRequest[],
  schema: SiteSchema,
  rendering: Rendering,
): Promise<Map<number, ReadonlyMap<number, unknown>>> {
  const getField = (cell: CellRequest): SchemaField | undefined => schema.fieldsById.get(cell.fieldId);
  const values = new Map<number, ReadonlyMap<number, unknown>>();
  for (const [typeId, cellsOfType] of Map.groupBy(cells, (cell) => getField(cell)?.typeId)) {
    if (typeId === undefined) continue;
    const fields = [...new Set(cellsOfType.flatMap((cell) => getField(cell) ?? []))];
    const entryIds = [...new Set(cellsOfType.map(({ entryId }) => entryId))];
    // A request rarely has cells of more than one type.
    const valuesOfType = await loadValues(db, entryIds, fields, rendering);
    for (const [entryId, fieldValues] of valuesOfType) values.set(entryId, fieldValues);
  }
  return values;
}

/** What the two operations for row queries have in common. */
interface RowsRequest {
  parse: (findField: (name: string) => SchemaField | undefined) => QueryParseResult;
  fields?: string[];
  orderBy?: string;
  limit?: number;
  skip?: number;
  dateTimeBehavior?: number;
  resolveReferenceUrls?: boolean;
  wrapIntoArrays?: boolean;
  textLimit?: number;
  positionOf?: number;
  isNested?: boolean;
}

const DEFAULT_LIMIT = 1000;

type RowsCall = Pick<Call, 'db' | 'readDb' | 'signal' | 'caller' | 'services'>;

/** The rows that match a query (spec 4.4; shapes 4, row result). */
async function respondWithRows(call: RowsCall, typeName: string, request: RowsRequest) {
  const { total, text, position } = await readWindow(call, typeName, request);
  return formatRowResult(total, text, position);
}

/** Rows of a query as the agent server returns them. */
export interface RowItems {
  /** Number of all matching rows. */
  total: number;
  count: number;
  /** JSON texts of `{entryId, values, truncated}`, separated by commas. */
  text: string;
}

/** Like `queryRowsByBody`, with rows as agents get them; dates are in UTC. */
export async function queryRowItems(call: Call<'queryRowsByBody'>): Promise<RowItems> {
  const { body, params } = call;
  const request = { ...body, parse: getBodyParser(body), dateTimeBehavior: 0, isNested: true };
  const { total, count, text } = await readWindow(call, params.entryTypeId, request);
  return { total, count, text: text.replaceAll(ROW_SEPARATOR, ',') };
}

/** A window of rows, as text without brackets. */
async function readWindow(call: RowsCall, typeName: string, request: RowsRequest) {
  const { readDb: db, caller, services } = call;
  const { siteId } = caller;
  const { positionOf, limit = DEFAULT_LIMIT, skip = 0 } = request;
  const behavior: DateTimeBehavior = request.dateTimeBehavior === 1 ? 1 : 0;
  const zones = await loadZones(db, caller, behavior);
  const rendering: Rendering = {
    siteId,
    linkTo: request.resolveReferenceUrls ? services.publicUrl : undefined,
    extended: false,
    wrapIntoArrays: request.wrapIntoArrays ?? false,
    textLimit: request.textLimit,
    isNested: request.isNested,
  };
  const { query, fields, position, ...rows } = await readWithSchema(db, siteId, async (schema) => {
    const type = requireType(schema, typeName);
    const parsed = request.parse((name) => findField(type, name));
    const { condition, fields: requestedFields, sort } = resolveRowQuery(type, parsed, request);
    const resolved: ResolvedQuery = {
      type,
      condition,
      sort,
      context: createQueryContext(siteId, behavior, zones),
    };
    const window = { limit, skip };
    return {
      ...(await readRows(call, resolved, window, requestedFields, rendering)),
      query: resolved,
      fields: requestedFields,
      position: positionOf === undefined ? undefined : await findPosition(db, resolved, positionOf),
    };
  });
  const total = await getTotal(db, query, { limit, skip }, rows);
  return { total, count: rows.count, text: localizeRowsText(rows.text, fields, behavior, zones), position };
}

/** Number of all matching rows. A page beyond the last row does not know it, so the rows are counted. */
async function getTotal(
  db: Call['db'],
  query: ResolvedQuery,
  { skip }: RowWindow,
  { count, total }: Rows,
): Promise<number> {
  if (total !== undefined) return total;
  return count > 0 || skip === 0 ? skip + count : countMatches(db, query);
}
