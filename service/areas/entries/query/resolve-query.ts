/** Resolves what a request names (type, fields, sort, time zones, condition) against the schema. */
import {
  type Condition,
  ENTRY_ID,
  type QueryError,
  type QueryParseResult,
} from '../../../../contract/rules/query/condition.ts';
import { isFileField } from '../../../../contract/rules/schema/fields.ts';
import { ApiError, badRequest, type FieldError, notFound } from '../../../kernel/api-error.ts';
import { type Caller, getAuthor } from '../../../kernel/auth/caller.ts';
import { createCacheKey } from '../../../kernel/cache.ts';
import type { Db } from '../../../kernel/db/database.ts';
import {
  type DateTimeBehavior,
  type EntryType,
  findField,
  findEntryType,
  isCurrency,
  loadSchema,
  parseDate,
  type SchemaField,
  type SiteSchema,
  type TimeZones,
  loadTimeZones,
} from '../../schema/index.ts';

/** The site of a query and the interpretation of its dates. */
export interface QueryContext {
  siteId: number;
  /** Identifies the interpretation of dates in cache keys. */
  dateKey: readonly unknown[];
  /**
   * Converts a date of a condition to its stored form: a UTC date-time or, for a date-only field, a day.
   * @throws ApiError 400 for a date that its time zone moves out of the years 1 to 9999
   */
  toStoredDate(date: string, field: SchemaField): string;
}

export interface Sort {
  field: SchemaField | typeof ENTRY_ID;
  descending: boolean;
}

/** A query whose names are resolved: which entries of a type, in which order. */
export interface ResolvedQuery {
  type: EntryType;
  condition: Condition;
  /** Undefined: ascending by entry id. */
  sort: Sort | undefined;
  context: QueryContext;
}

/** A window of the rows of a list. */
export interface RowWindow {
  limit: number;
  skip: number;
}

/** @throws ApiError 404 */
export function requireType(schema: SiteSchema, name: string): EntryType {
  const type = findEntryType(schema, name);
  if (!type) throw notFound(`Entry type "${name}"`);
  return type;
}

/** @throws ApiError 404 */
export async function loadType(db: Db, siteId: number, name: string): Promise<EntryType> {
  return requireType(await loadSchema(db, siteId), name);
}

export const UTC: TimeZones = { user: 'UTC', site: 'UTC' };

/**
 * Time zones of a request; loaded only for the behavior that converts dates. A proxy reads and writes local time of the
 * principal, to whom the values are attributed (spec 4.4, shapes 1 As-User).
 */
export const loadZones = (db: Db, caller: Caller, behavior: DateTimeBehavior): Promise<TimeZones> =>
  behavior === 0 ? Promise.resolve(UTC) : loadTimeZones(db, caller.siteId, getAuthor(caller).userId);

/**
 * Parses a time of a request that is neither a value nor an operand; without a time zone it is in that of the behavior (shapes 1).
 * @throws ApiError 400 when it is not a valid date and time
 */
export function parseMoment(path: string, text: string, behavior: DateTimeBehavior, zones: TimeZones): Date {
  const stored = parseDate(text, false, behavior, zones);
  if (stored === undefined) throw badRequest([{ path, message: 'is not a valid date and time' }]);
  return new Date(stored);
}

export const createQueryContext = (
  siteId: number,
  behavior: DateTimeBehavior,
  zones: TimeZones,
): QueryContext => ({
  siteId,
  dateKey: [behavior, zones.user, zones.site],
  toStoredDate(date, field) {
    const stored = parseDate(date, field.isDateOnly, behavior, zones);
    if (stored === undefined)
      throw badRequest([{ path: 'query', message: `"${date}" is not a date of the years 1 to 9999` }]);
    return stored;
  },
});

/** The condition of a parsed query. @throws ApiError 400 with all errors */
export function requireCondition(result: QueryParseResult): Condition {
  if (result.condition) return result.condition;
  rejectErrors(result.errors ?? []);
  throw new Error('A parse result has a condition or errors');
}

/** @throws ApiError 400 with the errors, if there are any */
function rejectErrors(errors: readonly QueryError[]): void {
  const [only] = errors;
  if (!only) return;
  // Shapes 4 specifies the complete message for this error alone.
  if (errors.length === 1 && only.message.startsWith('Field with name'))
    throw new ApiError(400, only.message, errors);
  throw badRequest(errors);
}

const isEntryId = (name: string): boolean => name.toLowerCase() === ENTRY_ID.toLowerCase();
const describeUnknownField = (name: string): string => `Field with name "${name}" does not exist`;

/** The names of a row query: its fields, and its sort with a leading minus for descending. */
interface RowNames {
  fields?: readonly string[];
  orderBy?: string;
}

/** Parts of a row query: the condition, the fields without EntryId, all of the type when none are given, and the sort. */
export function resolveRowQuery(
  type: EntryType,
  result: QueryParseResult,
  { fields = [], orderBy = '' }: RowNames,
): { condition: Condition; fields: readonly SchemaField[]; sort: Sort | undefined } {
  const sort = resolveSort(type, orderBy);
  rejectErrors([
    ...(result.errors ?? []),
    ...fields.flatMap((name, index) =>
      isEntryId(name) || findField(type, name)
        ? []
        : [{ path: `fields.${index}`, message: describeUnknownField(name) }],
    ),
    ...('message' in sort ? [{ path: 'orderBy', message: sort.message }] : []),
  ]);
  const named = new Set(fields.flatMap((name) => findField(type, name) ?? []));
  return {
    condition: requireCondition(result),
    fields: fields.length === 0 ? type.fields : [...named],
    sort: 'message' in sort ? undefined : sort.sort,
  };
}

/** The sort of `orderBy`, a single-value field or EntryId; or why there is none. */
function resolveSort(type: EntryType, orderBy: string): { sort: Sort | undefined } | { message: string } {
  if (orderBy === '') return { sort: undefined };
  const descending = orderBy.startsWith('-');
  const name = descending ? orderBy.slice(1) : orderBy;
  if (isEntryId(name)) return { sort: descending ? { field: ENTRY_ID, descending } : undefined };
  const field = findField(type, name);
  if (!field) return { message: describeUnknownField(name) };
  return field.isMultiSelect || isFileField(field.fieldType)
    ? { message: `${field.apiName} cannot be sorted: it contains files or several values` }
    : { sort: { field, descending } };
}

/** Why a currency code is invalid; undefined for a valid one. */
export const getCurrencyError = (code: string): string | undefined =>
  isCurrency(code) ? undefined : `"${code}" is not an ISO 4217 currency code such as EUR`;

/** Errors of the currency codes of a request, one for each invalid item. */
export const listCurrencyErrors = (items: readonly { currencyCode?: string | null }[]): FieldError[] =>
  items.flatMap(({ currencyCode }, index) => {
    const message = currencyCode ? getCurrencyError(currencyCode) : undefined;
    return message === undefined ? [] : [{ path: `${index}.currencyCode`, message }];
  });

/** Whether the condition matches every entry of the type. */
export const matchesAll = (condition: Condition): boolean =>
  condition.kind === 'group' && condition.match === 'all' && condition.conditions.every(matchesAll);

/** Ids of the fields that a condition compares. */
export function listFieldIds(condition: Condition): number[] {
  if (condition.kind === 'group') return condition.conditions.flatMap(listFieldIds);
  return condition.field === ENTRY_ID ? [] : [condition.field.id];
}

/** Returns the schema field of a field that the condition tree names; the tree itself has only what parsing needs. */
export type GetField = (id: number) => SchemaField;

export const createFieldLookup = ({ fields }: EntryType): GetField => {
  const byId = new Map(fields.map((field) => [field.id, field]));
  return (id) => {
    const field = byId.get(id);
    if (!field) throw new Error(`A query names field ${id}, which its type does not have`);
    return field;
  };
};

/** The properties of a sort besides the values that determine the order of a list. */
export const getSortCacheKey = ({ field, descending }: Sort): readonly unknown[] =>
  field === ENTRY_ID
    ? [field, descending]
    : [field.id, descending, field.isSlotReady ? field.slot : null, [...field.choices.keys()]];

/** Each read of a changed schema creates new type objects, so a number per object identifies the type and its schema. */
const typeNumbers = new WeakMap<EntryType, number>();
let lastTypeNumber = 0;
function getTypeNumber(type: EntryType): number {
  const number = typeNumbers.get(type) ?? (lastTypeNumber += 1);
  typeNumbers.set(type, number);
  return number;
}

/** Identifies a list in the caches of this process: queries with the same key have the same rows in the same data. */
export const getQueryKey = ({ type, condition, sort, context }: ResolvedQuery): string =>
  createCacheKey([
    context.siteId,
    getTypeNumber(type),
    condition,
    context.dateKey,
    sort && getSortCacheKey(sort),
  ]);
