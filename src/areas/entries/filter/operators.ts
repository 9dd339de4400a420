import { FIELD, filterOperations } from '../../../../contract/rules/fields.ts';
import type { FieldType, FilterOperation } from '../../../../contract/rules/fields.ts';

const WORDS: Readonly<Record<string, string>> = {
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

const OF_DATES: Readonly<Record<string, string>> = {
  $gt: 'is after',
  $gte: 'is on or after',
  $lt: 'is before',
  $lte: 'is on or before',
};

/** What an operation says between a field and a value. */
export const operatorWords = (operator: string, fieldType: FieldType | undefined): string =>
  (fieldType === FIELD.date ? OF_DATES[operator] : undefined) ?? WORDS[operator] ?? operator;

/** What each operation finds, for whoever writes a query by hand. */
export const OPERATOR_HELP: readonly { operator: string; example: string; means: string }[] = [
  { operator: '$eq', example: '{City: "Hamburg"}', means: 'Equal; the case of letters does not count.' },
  { operator: '$not', example: '{City: {$not: "Hamburg"}}', means: 'Anything else, and no data too.' },
  {
    operator: '$contains',
    example: '{Name: {$contains: "soft"}}',
    means: 'Texts with this somewhere in them.',
  },
  {
    operator: '$doesntContain',
    example: '{Name: {$doesntContain: "soft"}}',
    means: 'Texts without it, and no data too.',
  },
  { operator: '$startswith', example: '{Name: {$startswith: "A"}}', means: 'Texts that begin with this.' },
  { operator: '$endswith', example: '{Name: {$endswith: "Inc."}}', means: 'Texts that end with this.' },
  {
    operator: '$gt $gte',
    example: '{Founded: {$gte: 1990}}',
    means: 'More than; at least. Dates: after; from.',
  },
  {
    operator: '$lt $lte',
    example: '{Founded: {$lt: 1990}}',
    means: 'Less than; at most. Dates: before; until.',
  },
  {
    operator: '$between',
    example: '{Founded: {$between: [1990, 1999]}}',
    means: 'From the first to the second, both included.',
  },
  {
    operator: '$in',
    example: '{Stage: {$in: [4, 5]}}',
    means: 'One of these. Choices, entries and people by id.',
  },
  { operator: '$nin', example: '{Stage: {$nin: [4]}}', means: 'None of these, and no data too.' },
  { operator: '"$noData"', example: '{Website: "$noData"}', means: 'Nothing is filled in.' },
  { operator: '"$notNoData"', example: '{Website: "$notNoData"}', means: 'Something is filled in.' },
  {
    operator: '$or',
    example: '{$or: [{City: "Oslo"}, {Stage: 4}]}',
    means: 'One of these conditions holds.',
  },
  {
    operator: '$and',
    example: '{$and: [{Size: {$gt: 1}}, …]}',
    means: 'All of these hold, on one field too.',
  },
];

/** The operations that a field of this type takes; undefined stands for EntryId, which compares as numbers do. */
export const operatorsFor = (fieldType: FieldType | undefined): readonly FilterOperation[] =>
  filterOperations.filter(({ operand, fieldTypes }) =>
    fieldType === undefined
      ? operand !== 'none' && fieldTypes.includes(FIELD.counter)
      : fieldTypes.includes(fieldType),
  );

/** The operation behind a key of a row query. */
export const operationOf = (operator: string): FilterOperation | undefined =>
  filterOperations.find(({ rowOperator }) => rowOperator === operator);
