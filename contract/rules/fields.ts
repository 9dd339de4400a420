/** Field types of shapes 5 by their codes. */
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

/** What listFieldTypes answers, in the order of the codes. */
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

/** Fields that hold files (shapes 4, entry files). */
export const isFileField = (type: FieldType): boolean => type === FIELD.binary || type === FIELD.image;

/** Fields that may hold several values: ids, or files. */
export const maySelectMany = (type: FieldType): boolean => isIdField(type) || isFileField(type);

/** Whether values of the field are an amount with a currency. */
export const holdsMoney = (field: { fieldType: FieldType; isMoney: boolean }): boolean =>
  field.fieldType === FIELD.currency || (field.fieldType === FIELD.number && field.isMoney);

/** Filter operations by their codes (shapes 4). */
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

/** How an operation says what it compares with. */
type OperandKind = 'one' | 'several' | 'pair' | 'none';

export interface FilterOperation {
  /** Code in filterEntries and in conditions; null: rows alone have it. */
  id: FilterCode | null;
  name: string;
  /** Key of the operation in a row query; `$noData` and `$notNoData` stand there as values. */
  rowOperator: string;
  operand: OperandKind;
  fieldTypes: readonly FieldType[];
}

const numbers = [FIELD.number, FIELD.counter, FIELD.currency];
const ordered = [...numbers, FIELD.date];
const ids = [FIELD.choice, FIELD.reference, FIELD.user];
const compared = [FIELD.text, ...ids, ...ordered];
const all = fieldTypes.map(({ id }) => id);

/**
 * Every filter operation with the field types that take it: the one table of what can be asked. A field of several
 * values matches when one of them does. NotIn, NotEqualTo and DoesntContain hold exactly where In, Equals and Contains
 * do not, so for fields without data as well.
 */
export const filterOperations: readonly FilterOperation[] = [
  {
    id: FILTER.equals,
    name: 'Equals',
    rowOperator: '$eq',
    operand: 'one',
    fieldTypes: [...compared, FIELD.boolean],
  },
  {
    id: FILTER.contains,
    name: 'Contains',
    rowOperator: '$contains',
    operand: 'one',
    fieldTypes: [FIELD.text],
  },
  { id: FILTER.greater, name: 'Greater', rowOperator: '$gt', operand: 'one', fieldTypes: ordered },
  {
    id: FILTER.greaterOrEqual,
    name: 'GreaterOrEqual',
    rowOperator: '$gte',
    operand: 'one',
    fieldTypes: ordered,
  },
  { id: FILTER.less, name: 'Less', rowOperator: '$lt', operand: 'one', fieldTypes: ordered },
  { id: FILTER.lessOrEqual, name: 'LessOrEqual', rowOperator: '$lte', operand: 'one', fieldTypes: ordered },
  {
    id: FILTER.startsWith,
    name: 'StartsWith',
    rowOperator: '$startswith',
    operand: 'one',
    fieldTypes: [FIELD.text],
  },
  { id: FILTER.in, name: 'In', rowOperator: '$in', operand: 'several', fieldTypes: compared },
  { id: FILTER.between, name: 'Between', rowOperator: '$between', operand: 'pair', fieldTypes: ordered },
  { id: FILTER.notIn, name: 'NotIn', rowOperator: '$nin', operand: 'several', fieldTypes: compared },
  {
    id: FILTER.notEqualTo,
    name: 'NotEqualTo',
    rowOperator: '$not',
    operand: 'one',
    fieldTypes: [...compared, FIELD.boolean],
  },
  {
    id: FILTER.doesntContain,
    name: 'DoesntContain',
    rowOperator: '$doesntContain',
    operand: 'one',
    fieldTypes: [FIELD.text],
  },
  { id: FILTER.noData, name: 'NoData', rowOperator: '$noData', operand: 'none', fieldTypes: all },
  { id: FILTER.notNoData, name: 'NotNoData', rowOperator: '$notNoData', operand: 'none', fieldTypes: all },
  { id: null, name: 'EndsWith', rowOperator: '$endswith', operand: 'one', fieldTypes: [FIELD.text] },
];

/** The operation with this code; undefined for a code that shapes 4 does not know. */
export const filterOperation = (code: number): FilterOperation | undefined =>
  filterOperations.find(({ id }) => id === code);

const OPPOSITES = new Map<number | null, FilterCode>([
  [FILTER.notEqualTo, FILTER.equals],
  [FILTER.notIn, FILTER.in],
  [FILTER.doesntContain, FILTER.contains],
]);

/** The operation that holds exactly where this one does not, of the negative ones. */
export const oppositeOf = (code: number | null): FilterCode | undefined => OPPOSITES.get(code);
