import type { RequiredWhen } from '../../../../contract/generated/types.gen.ts';
import { ENTRY_ID, MATCH_ALL } from '../../../../contract/rules/query/condition.ts';
import type {
  Comparison,
  Condition,
  ConditionGroup,
  Operand,
  QueryParseResult,
} from '../../../../contract/rules/query/condition.ts';
import { parseQuery, parseQueryObject } from '../../../../contract/rules/query/parse.ts';
import { FIELD, findFilterOperation } from '../../../../contract/rules/schema/fields.ts';
import type { FilterOperation } from '../../../../contract/rules/schema/fields.ts';
import type { Field, Schema } from '../model/schema.ts';
import { findField } from '../model/schema.ts';
import { findOperation, getDefaultOperation } from './operators.ts';

/**
 * The editor's form of a filter is the condition tree of the contract: a group whose comparisons may still lack operands.
 * `parseFilter` creates it from a URL or a text, `toQueryObject` turns it into the query of a request.
 */

/** A row query as a JSON object (shapes 4). */
export type QueryObject = Record<string, unknown>;

/** The condition as a group, which is what the filter builder edits; empty for an invalid filter. */
export const toFilterDraft = (condition: Condition | undefined): ConditionGroup => {
  if (!condition) return MATCH_ALL;
  return condition.kind === 'group' ? condition : { ...MATCH_ALL, conditions: [condition] };
};

/** API name of the compared field, or `EntryId`. */
export const getFieldName = ({ field }: Comparison): string =>
  field === ENTRY_ID ? ENTRY_ID : field.apiName;

/** The compared field among the fields of the entry type; undefined for `EntryId` and for deleted fields. */
export const findComparedField = (comparison: Comparison, fields: readonly Field[]): Field | undefined =>
  fields.find(({ apiName }) => apiName === getFieldName(comparison));

/** A comparison without operands; of a Boolean with Yes, since a switch is never empty. */
export const createComparison = (field: Field | undefined): Comparison => ({
  kind: 'comparison',
  field: field ?? ENTRY_ID,
  operation: getDefaultOperation(field?.fieldType),
  operands: field?.fieldType === FIELD.boolean ? [true] : [],
});

/** Changes the operation; keeps the operands as far as they fit the new one. */
export function changeOperation(comparison: Comparison, operation: FilterOperation): Comparison {
  const [first] = comparison.operands;
  if (comparison.operation.operand === operation.operand) return { ...comparison, operation };
  const operands = operation.operand === 'none' || first === undefined ? [] : [first];
  return { ...comparison, operation, operands };
}

/** The choices of the field as options, followed by compared ones that were deleted, so that they can be unchecked. */
export function listChoiceOptions(
  field: Field | undefined,
  { operands }: Comparison,
): { value: string; label: string }[] {
  const choices = field?.choiceValues ?? [];
  const deleted = operands.filter((operand) => choices.every(({ id }) => id !== operand));
  return [
    ...choices.map(({ id, name }) => ({ value: String(id), label: name })),
    ...deleted.map((id) => ({ value: String(id), label: `#${String(id)} (deleted)` })),
  ];
}

/** Whether the comparison has the operands its operation needs. */
export function isComplete({ operation, operands }: Comparison): boolean {
  if (operation.operand === 'none') return true;
  const filled = operands.filter((operand) => operand !== '');
  return filled.length >= (operation.operand === 'pair' ? 2 : 1);
}

const NO_DATA_MARKERS = new Set(['$nodata', '$notnodata']);
const isNoDataMarker = (value: unknown): boolean =>
  typeof value === 'string' && NO_DATA_MARKERS.has(value.toLowerCase());

function toQueryValue({ operation, operands }: Comparison): unknown {
  const { rowOperator, operand } = operation;
  const [first] = operands;
  if (operand === 'none') return rowOperator;
  // As a plain value the text "$noData" would be parsed as the marker (spec 4.4); in a list it is a text.
  if (rowOperator === '$eq') return isNoDataMarker(first) ? { $in: [first] } : first;
  if (rowOperator === '$not' && isNoDataMarker(first)) return { $nin: [first] };
  // List editors end with an empty line for the next value.
  return { [rowOperator]: operand === 'one' ? first : operands.filter((value) => value !== '') };
}

/**
 * Builds the query object of a condition. Incomplete comparisons are left out; undefined if nothing is left, which
 * matches every entry.
 */
export function toQueryObject(condition: Condition): QueryObject | undefined {
  if (condition.kind === 'comparison')
    return isComplete(condition) ? { [getFieldName(condition)]: toQueryValue(condition) } : undefined;
  const parts = condition.conditions.map(toQueryObject).filter((part) => part !== undefined);
  const [only] = parts;
  if (only === undefined) return undefined;
  if (condition.match === 'any') return { $or: parts };
  if (parts.length === 1) return only;
  const keys = parts.flatMap((part) => Object.keys(part).map((key) => key.toLowerCase()));
  if (new Set(keys).size < keys.length) return { $and: parts };
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
}

/** Replaces the condition at a path of indexes; `undefined` removes it. */
export function replaceCondition(
  group: ConditionGroup,
  [index, ...rest]: readonly number[],
  next: Condition | undefined,
): ConditionGroup {
  if (index === undefined) return next?.kind === 'group' ? next : MATCH_ALL;
  const conditions = group.conditions.flatMap((condition, position) => {
    if (position !== index) return [condition];
    if (rest.length === 0) return next ? [next] : [];
    return condition.kind === 'group' ? [replaceCondition(condition, rest, next)] : [condition];
  });
  return { ...group, conditions };
}

/** The operands in the value of a `requiredWhen` condition: none, one or a list (shapes 5). */
export const toOperands = (value: Operand | readonly Operand[] | null | undefined): readonly Operand[] => {
  if (value === undefined || value === null) return [];
  return typeof value === 'object' ? value : [value];
};

/** Converts a `requiredWhen` rule to a condition group; conditions of deleted fields are left out. */
export function toRequiredGroup(
  { match, conditions }: RequiredWhen,
  fieldById: ReadonlyMap<number, Field>,
): ConditionGroup {
  const comparisons = conditions.flatMap(({ fieldId, operation: code, value }): Comparison[] => {
    const field = fieldById.get(fieldId);
    const operation = findFilterOperation(code);
    return field && operation ? [{ kind: 'comparison', field, operation, operands: toOperands(value) }] : [];
  });
  return { kind: 'group', match, conditions: comparisons };
}

const NO_DATA = findOperation('$noData');

/** Query for the entries that lack a required value of the field; undefined if the field is not required. */
export function buildMissingValueQuery(field: Field, { fieldById }: Schema): QueryObject | undefined {
  const hasNoData: Comparison = { kind: 'comparison', field, operation: NO_DATA, operands: [] };
  if (field.isRequired) return toQueryObject(hasNoData);
  if (!field.requiredWhen) return undefined;
  return toQueryObject({
    ...MATCH_ALL,
    conditions: [hasNoData, toRequiredGroup(field.requiredWhen, fieldById)],
  });
}

/** A filter as the URL holds it: an object, or the text if it is not valid JSON. Undefined: no filter. */
export type FilterSource = QueryObject | string | undefined;

/** Parses a filter of the URL or the editor into a condition tree, checked against the fields of the type. */
export function parseFilter(filter: FilterSource, fields: readonly Field[]): QueryParseResult {
  const find = (name: string) => findField(fields, name);
  if (filter === undefined) return { condition: MATCH_ALL };
  return typeof filter === 'string' ? parseQuery(filter, find) : parseQueryObject(filter, find);
}

const MAX_LINE_CHARS = 60;

/** Formats a filter as the text of the query editor: short parts and plain lists on one line, the rest indented. */
export const formatFilterText = (filter: FilterSource): string =>
  filter === undefined || typeof filter === 'string' ? (filter ?? '') : formatJson('', filter);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function formatJson(indent: string, value: unknown): string {
  const line = JSON.stringify(value);
  const isFlat = Array.isArray(value) && !value.some(isObject);
  if (!isObject(value) || isFlat || indent.length + line.length <= MAX_LINE_CHARS) return line;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => formatJson(inner, item))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${formatJson(inner, item)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${indent}${close}`;
}
