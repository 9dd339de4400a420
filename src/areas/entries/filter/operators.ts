import { FIELD, filterOperations } from '../../../../contract/rules/schema/fields.ts';
import type { FieldType, FilterOperation } from '../../../../contract/rules/schema/fields.ts';

const OPERATOR_TEXTS: Readonly<Record<string, string>> = {
  $eq: 'is',
  $not: 'is not',
  $contains: 'contains',
  $doesntContain: 'does not contain',
  $startswith: 'starts with',
  $endswith: 'ends with',
  $gt: 'is more than',
  $gte: 'is at least',
  $lt: 'is less than',
  $lte: 'is at most',
  $between: 'is between',
  $in: 'is one of',
  $nin: 'is none of',
  $noData: 'has no data',
  $notNoData: 'has data',
};

const DATE_OPERATOR_TEXTS: Readonly<Record<string, string>> = {
  $gt: 'is after',
  $gte: 'is on or after',
  $lt: 'is before',
  $lte: 'is on or before',
};

/** Text of an operation between a field and a value: "is at least". */
export const formatOperator = (operator: string, fieldType: FieldType | undefined): string =>
  (fieldType === FIELD.date ? DATE_OPERATOR_TEXTS[operator] : undefined) ??
  OPERATOR_TEXTS[operator] ??
  operator;

/** Reference of the operators, shown beside the query editor. */
export const OPERATOR_HELP: readonly { operator: string; example: string; meaning: string }[] = [
  { operator: '$eq', example: '{City: "Hamburg"}', meaning: 'Equal, ignoring case.' },
  { operator: '$not', example: '{City: {$not: "Hamburg"}}', meaning: 'Any other value, or no data.' },
  {
    operator: '$contains',
    example: '{Name: {$contains: "soft"}}',
    meaning: 'Texts that contain this.',
  },
  {
    operator: '$doesntContain',
    example: '{Name: {$doesntContain: "soft"}}',
    meaning: 'Texts that do not contain it, or no data.',
  },
  { operator: '$startswith', example: '{Name: {$startswith: "A"}}', meaning: 'Texts that begin with this.' },
  { operator: '$endswith', example: '{Name: {$endswith: "Inc."}}', meaning: 'Texts that end with this.' },
  {
    operator: '$gt $gte',
    example: '{Founded: {$gte: 1990}}',
    meaning: 'More than; at least. Dates: after; from.',
  },
  {
    operator: '$lt $lte',
    example: '{Founded: {$lt: 1990}}',
    meaning: 'Less than; at most. Dates: before; until.',
  },
  {
    operator: '$between',
    example: '{Founded: {$between: [1990, 1999]}}',
    meaning: 'From the first to the second value, inclusive.',
  },
  {
    operator: '$in',
    example: '{Stage: {$in: [4, 5]}}',
    meaning: 'One of these. Choices, entries and users by id.',
  },
  { operator: '$nin', example: '{Stage: {$nin: [4]}}', meaning: 'None of these, or no data.' },
  { operator: '"$noData"', example: '{Website: "$noData"}', meaning: 'The field has no data.' },
  { operator: '"$notNoData"', example: '{Website: "$notNoData"}', meaning: 'The field has data.' },
  {
    operator: '$or',
    example: '{$or: [{City: "Oslo"}, {Stage: 4}]}',
    meaning: 'Any of these conditions match.',
  },
  {
    operator: '$and',
    example: '{$and: [{Size: {$gt: 1}}, …]}',
    meaning: 'All of these conditions match; a field may occur several times.',
  },
];

/** Operations that fields of the type support; `undefined` stands for EntryId, which compares like a number. */
export const getOperations = (fieldType: FieldType | undefined): readonly FilterOperation[] =>
  filterOperations.filter(({ operand, fieldTypes }) =>
    fieldType === undefined
      ? operand !== 'none' && fieldTypes.includes(FIELD.counter)
      : fieldTypes.includes(fieldType),
  );

/** The operation of an operator of row queries, such as `$eq`. @throws Error if there is none */
export function findOperation(operator: string): FilterOperation {
  const operation = filterOperations.find(({ rowOperator }) => rowOperator === operator);
  if (!operation) throw new Error(`Unknown row operator ${operator}`);
  return operation;
}

/** Operators of a list of choices, between which the number of values decides: of one value, and of several. */
const LIST_OPERATORS: readonly (readonly [one: string, several: string])[] = [
  ['$eq', '$in'],
  ['$not', '$nin'],
];

/** The operators of which the number of values chooses one, if the operator of a choice field is among them. */
export const findListOperators = (operator: string, fieldType: FieldType | undefined) =>
  fieldType === FIELD.choice ? LIST_OPERATORS.find((pair) => pair.includes(operator)) : undefined;

/** The operation a new comparison starts with. */
export const getDefaultOperation = (fieldType: FieldType | undefined): FilterOperation =>
  getOperations(fieldType)[0] ?? findOperation('$eq');
