import type { FieldType, FilterOperation } from '../fields.ts';

/** What a query needs to know of a field. */
export interface QueryField {
  id: number;
  apiName: string;
  fieldType: FieldType;
  isMultiSelect: boolean;
  isMoney: boolean;
  isDateOnly: boolean;
}

/** The one thing besides fields that a row can be asked for. */
export const ENTRY_ID = 'EntryId';

/** A value to compare with; its type fits the field: dates stay texts until their zone is known. */
export type Operand = string | number | boolean;

/** One comparison; `field` is `EntryId` or a field of the type. */
export interface Comparison {
  kind: 'comparison';
  field: QueryField | typeof ENTRY_ID;
  operation: FilterOperation;
  operands: readonly Operand[];
  /** Only amounts in this currency (FilterInfoVm). */
  currencyCode?: string;
}

/** A condition as a typed tree: the only form in which a query reaches the database (T15). */
export type Condition =
  | { kind: 'all'; of: readonly Condition[] }
  | { kind: 'any'; of: readonly Condition[] }
  | Comparison;

/** The condition of a query that asks for everything. */
export const EVERYTHING: Condition = { kind: 'all', of: [] };

/** Bounds of a query; beyond them it is refused with the bound in the message (T16). */
export const QUERY_LIMITS = { depth: 8, comparisons: 100, operands: 1000, text: 10_000 } as const;

/** What is wrong with a query, and where: `query.$or.1.Founded.$gt`. */
export interface QueryFault {
  path: string;
  message: string;
}

/** A query that was read: the condition, or every fault of it. */
export type ReadQuery =
  | { condition: Condition; faults?: undefined }
  | { condition?: undefined; faults: QueryFault[] };
