/** What a row query means (shapes 4), said a second time over plain values: what tests hold answers against. */

/** Values by apiName as they are written: texts, numbers, dates in UTC, ids, lists of ids, money. */
export type Plain = Readonly<Record<string, unknown>>;

type Comparable = number | string | boolean;
const ISO = /^\d{4}-\d{2}-\d{2}(T|$)/;

/** Texts without regard to case, dates as moments, amounts without their currency. */
function comparable(value: unknown): Comparable {
  if (typeof value === 'string') return ISO.test(value) ? Date.parse(value) : value.toLowerCase();
  if (typeof value === 'object' && value !== null && 'value' in value) return Number(value.value);
  return value as Comparable;
}

const heldBy = (value: unknown): Comparable[] => {
  if (value === undefined || value === null || value === '') return [];
  return (Array.isArray(value) ? value : [value]).map(comparable);
};

const text = String;
const HOLDS: Readonly<Record<string, (held: Comparable, operands: readonly Comparable[]) => boolean>> = {
  $eq: (held, [to]) => held === to,
  $contains: (held, [part]) => text(held).includes(text(part)),
  $startswith: (held, [part]) => text(held).startsWith(text(part)),
  $endswith: (held, [part]) => text(held).endsWith(text(part)),
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

function holds(operator: string, operand: unknown, value: unknown): boolean {
  const held = heldBy(value);
  if (operand === '$noData') return held.length === 0;
  if (operand === '$notNoData') return held.length > 0;
  const opposite = OPPOSITES[operator];
  const test = HOLDS[opposite ?? operator];
  if (!test) throw new Error(`There is no ${operator}`);
  const operands = (Array.isArray(operand) ? operand : [operand]).map(comparable);
  return held.some((each) => test(each, operands)) === (opposite === undefined);
}

/** Whether an entry with these values matches the query. */
export function matches(query: Plain, values: Plain): boolean {
  return Object.entries(query).every(([key, asked]) => {
    if (key === '$and') return (asked as Plain[]).every((each) => matches(each, values));
    if (key === '$or') return (asked as Plain[]).some((each) => matches(each, values));
    if (typeof asked !== 'object' || asked === null) return holds('$eq', asked, values[key]);
    return Object.entries(asked).every(([operator, operand]) => holds(operator, operand, values[key]));
  });
}

/** Order of two values: empty ones last in either direction. */
export function compare(one: unknown, other: unknown, descending: boolean): number {
  const [a] = heldBy(one);
  const [b] = heldBy(other);
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const sign = a < b ? -1 : Number(a > b);
  return descending ? -sign : sign;
}
