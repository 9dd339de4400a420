import type { FieldType, FilterOperation } from '../schema/fields.ts';

/** Properties of a field that decide how a query compares it. */
export interface QueryField {
  id: number;
  apiName: string;
  fieldType: FieldType;
  isMultiSelect: boolean;
  isMoney: boolean;
  isDateOnly: boolean;
}

/** Name of the only property besides fields that a query can compare: the id of the entry. */
export const ENTRY_ID = 'EntryId';

/** A value to compare with, of the field's type. Dates stay texts until their time zone is known. */
export type Operand = string | number | boolean;

export interface Comparison {
  kind: 'comparison';
  field: QueryField | typeof ENTRY_ID;
  operation: FilterOperation;
  operands: readonly Operand[];
  /** Restricts the comparison to amounts in this currency (FilterInfoVm). */
  currencyCode?: string;
}

/** Conditions of which all must hold, or at least one. An empty group holds for every entry. */
export interface ConditionGroup {
  kind: 'group';
  match: 'all' | 'any';
  conditions: readonly Condition[];
}

/**
 * A filter as a typed tree: the form in which the service turns it into SQL (T15) and the console edits it. A tree from
 * `parseQuery` is complete and valid; the console's editor may hold comparisons whose operands are still missing.
 */
export type Condition = ConditionGroup | Comparison;

/** The condition of a query without a filter. */
export const MATCH_ALL: ConditionGroup = { kind: 'group', match: 'all', conditions: [] };

/**
 * Limits of a query: nesting levels, comparisons, operands per comparison, characters per text operand (T16), objects, lists and
 * properties, and errors after which parsing stops: one more than responses list.
 */
export const QUERY_LIMITS = {
  depth: 8,
  comparisons: 100,
  operands: 1000,
  text: 10_000,
  parts: 10_000,
  errors: 101,
} as const;

/** An error of a query and its path, such as `query.$or.1.Founded.$gt`. */
export interface QueryError {
  path: string;
  message: string;
}

/** Result of parsing: the condition, or all errors. */
export type QueryParseResult =
  | { condition: Condition; errors?: undefined }
  | { condition?: undefined; errors: QueryError[] };
