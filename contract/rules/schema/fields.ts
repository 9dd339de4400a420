/** Codes of the field types (shapes 5). */
export const FIELD = {
  text: 1,
  choice: 2,
  number: 3,
  date: 4,
  reference: 5,
  boolean: 6,
  user: 7,
  binary: 13,
  counter: 15,
  image: 16,
  currency: 18,
} as const;

export type FieldType = (typeof FIELD)[keyof typeof FIELD];

/** All field types as listFieldTypes returns them, in the order of their codes. */
export const fieldTypes: readonly { id: FieldType; name: string }[] = [
  { id: FIELD.text, name: 'Text' },
  { id: FIELD.choice, name: 'Choice' },
  { id: FIELD.number, name: 'Number' },
  { id: FIELD.date, name: 'Date' },
  { id: FIELD.reference, name: 'Reference' },
  { id: FIELD.boolean, name: 'Boolean' },
  { id: FIELD.user, name: 'User' },
  { id: FIELD.binary, name: 'Binary' },
  { id: FIELD.counter, name: 'Counter' },
  { id: FIELD.image, name: 'Image' },
  { id: FIELD.currency, name: 'Currency' },
];

/** Fields whose values are ids: of a choice, an entry or a user. */
export const isIdField = (type: FieldType): boolean =>
  type === FIELD.choice || type === FIELD.reference || type === FIELD.user;

/** Fields whose values are files (shapes 4, entry files). */
export const isFileField = (type: FieldType): boolean => type === FIELD.binary || type === FIELD.image;

/** Fields that may be multi-select: of ids or of files. */
export const maySelectMany = (type: FieldType): boolean => isIdField(type) || isFileField(type);

/** Whether a value of the field is an amount with a currency. */
export const holdsMoney = (field: { fieldType: FieldType; isMoney: boolean }): boolean =>
  field.fieldType === FIELD.currency || (field.fieldType === FIELD.number && field.isMoney);

/** Codes of the filter operations (shapes 4). */
export const FILTER = {
  equals: 0,
  contains: 1,
  greater: 2,
  greaterOrEqual: 3,
  less: 4,
  lessOrEqual: 5,
  startsWith: 6,
  in: 7,
  between: 8,
  notIn: 9,
  notEqualTo: 10,
  doesntContain: 11,
  noData: 12,
  notNoData: 13,
} as const;

type FilterCode = (typeof FILTER)[keyof typeof FILTER];

/** Number of operands of an operation; `pair` is a range from–to. */
type OperandKind = 'one' | 'several' | 'pair' | 'none';

export interface FilterOperation {
  /** Code in filterEntries and in `requiredWhen`; null: only row queries have this operation. */
  id: FilterCode | null;
  name: string;
  /** Key of the operation in a row query; `$noData` and `$notNoData` are written there as values. */
  rowOperator: string;
  operand: OperandKind;
  fieldTypes: readonly FieldType[];
}

const numberTypes = [FIELD.number, FIELD.counter, FIELD.currency];
const orderedTypes = [...numberTypes, FIELD.date];
const idTypes = [FIELD.choice, FIELD.reference, FIELD.user];
const comparableTypes = [FIELD.text, ...idTypes, ...orderedTypes];
const allTypes = fieldTypes.map(({ id }) => id);

/**
 * All filter operations with the field types that support them. A multi-select field matches when one of its values
 * does. NotIn, NotEqualTo and DoesntContain are the exact opposites of In, Equals and Contains, so they also match
 * fields without data.
 */
export const filterOperations: readonly FilterOperation[] = [
  {
    id: FILTER.equals,
    name: 'Equals',
    rowOperator: '$eq',
    operand: 'one',
    fieldTypes: [...comparableTypes, FIELD.boolean],
  },
  {
    id: FILTER.contains,
    name: 'Contains',
    rowOperator: '$contains',
    operand: 'one',
    fieldTypes: [FIELD.text],
  },
  { id: FILTER.greater, name: 'Greater', rowOperator: '$gt', operand: 'one', fieldTypes: orderedTypes },
  {
    id: FILTER.greaterOrEqual,
    name: 'GreaterOrEqual',
    rowOperator: '$gte',
    operand: 'one',
    fieldTypes: orderedTypes,
  },
  { id: FILTER.less, name: 'Less', rowOperator: '$lt', operand: 'one', fieldTypes: orderedTypes },
  {
    id: FILTER.lessOrEqual,
    name: 'LessOrEqual',
    rowOperator: '$lte',
    operand: 'one',
    fieldTypes: orderedTypes,
  },
  {
    id: FILTER.startsWith,
    name: 'StartsWith',
    rowOperator: '$startswith',
    operand: 'one',
    fieldTypes: [FIELD.text],
  },
  { id: FILTER.in, name: 'In', rowOperator: '$in', operand: 'several', fieldTypes: comparableTypes },
  { id: FILTER.between, name: 'Between', rowOperator: '$between', operand: 'pair', fieldTypes: orderedTypes },
  { id: FILTER.notIn, name: 'NotIn', rowOperator: '$nin', operand: 'several', fieldTypes: comparableTypes },
  {
    id: FILTER.notEqualTo,
    name: 'NotEqualTo',
    rowOperator: '$not',
    operand: 'one',
    fieldTypes: [...comparableTypes, FIELD.boolean],
  },
  {
    id: FILTER.doesntContain,
    name: 'DoesntContain',
    rowOperator: '$doesntContain',
    operand: 'one',
    fieldTypes: [FIELD.text],
  },
  { id: FILTER.noData, name: 'NoData', rowOperator: '$noData', operand: 'none', fieldTypes: allTypes },
  {
    id: FILTER.notNoData,
    name: 'NotNoData',
    rowOperator: '$notNoData',
    operand: 'none',
    fieldTypes: allTypes,
  },
  { id: null, name: 'EndsWith', rowOperator: '$endswith', operand: 'one', fieldTypes: [FIELD.text] },
];

/** The operation with this code; undefined when shapes 4 has none. */
export const findFilterOperation = (code: number): FilterOperation | undefined =>
  filterOperations.find(({ id }) => id === code);

const OPPOSITES = new Map<number | null, FilterCode>([
  [FILTER.notEqualTo, FILTER.equals],
  [FILTER.notIn, FILTER.in],
  [FILTER.doesntContain, FILTER.contains],
]);

/** The positive operation of which a negative one (NotEqualTo, NotIn, DoesntContain) is the opposite; undefined for others. */
export const getOppositeOperation = (code: number | null): FilterCode | undefined => OPPOSITES.get(code);
