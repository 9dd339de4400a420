/** A second, independent implementation of row queries (shapes 4) on plain values, with which tests compare responses. */

/** Values by apiName in the request format: texts, numbers, dates in UTC, ids, lists of ids, money. */
export type PlainValues = Readonly<Record<string, unknown>>;

type Comparable = number | string | boolean;
const ISO = /^\d{4}-\d{2}-\d{2}(T|$)/;

/** Texts in lower case, dates as timestamps, amounts without their currency. */
function toComparable(value: unknown): Comparable {
  if (typeof value === 'string') return ISO.test(value) ? Date.parse(value) : value.toLowerCase();
  if (typeof value === 'object' && value !== null && 'value' in value) return Number(value.value);
  return value as Comparable;
}

const toList = (value: unknown): Comparable[] => {
  if (value === undefined || value === null || value === '') return [];
  return (Array.isArray(value) ? value : [value]).map(toComparable);
};

const OPERATORS: Readonly<Record<string, (held: Comparable, operands: readonly Comparable[]) => boolean>> = {
  $eq: (held, [to]) => held === to,
  $contains: (held, [part]) => String(held).includes(String(part)),
  $startswith: (held, [part]) => String(held).startsWith(String(part)),
  $endswith: (held, [part]) => String(held).endsWith(String(part)),
  $gt: (held, [than = 0]) => held > than,
  $gte: (held, [than = 0]) => held >= than,
  $lt: (held, [than = 0]) => held < than,
  $lte: (held, [than = 0]) => held <= than,
  $in: (held, operands) => operands.includes(held),
  $between: (held, [from = 0, to = 0]) => held >= from && held <= to,
};
const OPPOSITES: Readonly<Record<string, string>> = {
  $not: '$eq',
  $nin: '$in',
  $doesntContain: '$contains',
};

function evaluate(operator: string, operand: unknown, value: unknown): boolean {
  const held = toList(value);
  if (operand === '$noData') return held.length === 0;
  if (operand === '$notNoData') return held.length > 0;
  const opposite = OPPOSITES[operator];
  const test = OPERATORS[opposite ?? operator];
  if (!test) throw new Error(`Unknown operator ${operator}`);
  const operands = (Array.isArray(operand) ? operand : [operand]).map(toComparable);
  return held.some((each) => test(each, operands)) === (opposite === undefined);
}

/** Whether an entry with these values matches the query. */
export function matches(query: PlainValues, values: PlainValues): boolean {
  return Object.entries(query).every(([key, asked]) => {
    if (key === '$and') return (asked as PlainValues[]).every((each) => matches(each, values));
    if (key === '$or') return (asked as PlainValues[]).some((each) => matches(each, values));
    if (typeof asked !== 'object' || asked === null) return evaluate('$eq', asked, values[key]);
    return Object.entries(asked).every(([operator, operand]) => evaluate(operator, operand, values[key]));
  });
}

/** Compares two values for sorting; empty values are last in both directions. */
export function compare(one: unknown, other: unknown, descending: boolean): number {
  const [a] = toList(one);
  const [b] = toList(other);
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const sign = a < b ? -1 : Number(a > b);
  return descending ? -sign : sign;
}
