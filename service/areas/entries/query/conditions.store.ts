import { type RawBuilder, sql } from 'kysely';
import {
  FIELD,
  FILTER,
  holdsMoney,
  isFileField,
  isIdField,
  oppositeOf,
} from '../../../../contract/rules/fields.ts';
import {
  type Comparison,
  type Condition,
  ENTRY_ID,
  type Operand,
} from '../../../../contract/rules/query/tree.ts';
import { folded, slotText, type SchemaField } from '../../schema/index.ts';
import { slotOf, textOf, valueOf } from './columns.store.ts';

type Sql = RawBuilder<unknown>;
type Test = RawBuilder<boolean>;

/** Where a condition is asked, and how texts of dates are meant there. */
export interface Asked {
  siteId: number;
  /** What the meaning of a date depends on besides its text. */
  meaning: readonly unknown[];
  /** The stored form of a date that was asked for: a moment or, for a date-only field, a day (values.ts). */
  stored(date: string, field: SchemaField): string;
}

/** A field that the query names is always one of the schema; the tree carries what rules need of it. */
export type FieldOf = (id: number) => SchemaField;

const TRUE: Test = sql<boolean>`true`;
/** Of a slot's text the first characters alone are kept; a longer one is compared with the value too. */
const SLOT_LENGTH = 200;
/** Trigrams find nothing in less. */
const SEARCHABLE_LENGTH = 3;

/** Escapes what LIKE gives a meaning (T15). */
const like = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

const joined = (tests: readonly Test[], by: 'and' | 'or'): Test =>
  sql<boolean>`(${sql.join(tests, by === 'and' ? sql` and ` : sql` or `)})`;

/**
 * The tree of a query as SQL over the entry `e`. Values travel as parameters alone: the text depends on the shape of
 * the tree and the fields it names, never on what is asked for (T15).
 */
export function conditionSql(condition: Condition, fieldOf: FieldOf, asked: Asked): Test {
  if (condition.kind === 'comparison') return comparisonSql(condition, fieldOf, asked);
  if (condition.of.length === 0) return TRUE;
  const parts = condition.of.map((each) => conditionSql(each, fieldOf, asked));
  return joined(parts, condition.kind === 'all' ? 'and' : 'or');
}

function comparisonSql(comparison: Comparison, fieldOf: FieldOf, asked: Asked): Test {
  const { field, operation, operands } = comparison;
  const opposite = oppositeOf(operation.id);
  const code = opposite ?? operation.id;
  const test =
    field === ENTRY_ID
      ? numberTest(sql`e.entry_id`, code, operands as readonly number[], 'int')
      : fieldTest(fieldOf(field.id), code, operands, asked, comparison.currencyCode);
  return opposite === undefined ? test : sql<boolean>`((${test}) is not true)`;
}

function fieldTest(
  field: SchemaField,
  code: number | null,
  operands: readonly Operand[],
  asked: Asked,
  currencyCode: string | undefined,
): Test {
  if (code === FILTER.notNoData) return hasData(field);
  if (code === FILTER.noData) return sql<boolean>`(not ${hasData(field)})`;
  if (isFileField(field.fieldType)) throw new Error('A file is asked for its presence alone');
  if (field.fieldType === FIELD.text) return textTest(field, code, operands as readonly string[], asked);
  if (field.isMultiSelect && isIdField(field.fieldType))
    return multiTest(field, code, operands as readonly number[], asked);
  if (field.fieldType === FIELD.date) return dateTest(field, code, operands as readonly string[], asked);
  const numbers = operands.map(Number);
  const slot = slotOf(field);
  const test = numberTest(slot ?? numberIn(field), code, numbers, 'float8');
  if (currencyCode === undefined) return test;
  return sql<boolean>`(${test} and ${valueOf(field)} ->> 'currencyCode' = ${currencyCode})`;
}

function hasData(field: SchemaField): Test {
  const slot = field.slot === 'name' ? undefined : slotOf(field);
  return slot ? sql<boolean>`(${slot} is not null)` : sql<boolean>`(${valueOf(field)} is not null)`;
}

/** The number of a value without a slot. */
function numberIn(field: SchemaField): Sql {
  if (field.fieldType === FIELD.boolean) return sql`(${valueOf(field)})::boolean::int`;
  return holdsMoney(field) ? sql`(${valueOf(field)} ->> 'value')::float8` : sql`${textOf(field)}::float8`;
}

const COMPARES = new Map<number | null, Sql>([
  [FILTER.equals, sql`=`],
  [FILTER.greater, sql`>`],
  [FILTER.greaterOrEqual, sql`>=`],
  [FILTER.less, sql`<`],
  [FILTER.lessOrEqual, sql`<=`],
]);

function compare(column: Sql, code: number | null, operand: Sql): Test {
  const sign = COMPARES.get(code);
  if (!sign) throw new Error(`Operation ${code} does not compare two values`);
  return sql<boolean>`(${column} ${sign} ${operand})`;
}

function numberTest(
  column: Sql,
  code: number | null,
  operands: readonly number[],
  type: 'int' | 'float8',
): Test {
  const as = sql.raw(type);
  const [first = 0, second = 0] = operands;
  if (code === FILTER.in) return sql<boolean>`(${column} = any(${[...operands]}::${as}[]))`;
  if (code === FILTER.between) return sql<boolean>`(${column} between ${first}::${as} and ${second}::${as})`;
  return compare(column, code, sql`${first}::${as}`);
}

/** Stored dates sort as texts: their form is fixed and their zone is UTC (values.ts). */
function dateTest(field: SchemaField, code: number | null, operands: readonly string[], asked: Asked): Test {
  const stored = operands.map((each) => asked.stored(each, field));
  const slot = slotOf(field);
  if (slot) return numberTest(slot, code, stored.map(Date.parse), 'float8');
  const column = sql`${textOf(field)} collate "C"`;
  const [first = '', second = ''] = stored;
  if (code === FILTER.in) return sql<boolean>`(${column} = any(${stored}::text[]))`;
  if (code === FILTER.between) return sql<boolean>`(${column} between ${first} and ${second})`;
  return compare(column, code, sql`${first}`);
}

/** Ids of a field of several values: it matches when one of them does. */
function multiTest(field: SchemaField, code: number | null, ids: readonly number[], asked: Asked): Test {
  if (code !== FILTER.equals && code !== FILTER.in) throw new Error(`Operation ${code} is not for ids`);
  return sql<boolean>`(e.entry_id in (select m.entry_id from entry_multi m
    where m.site_id = ${asked.siteId} and m.field_id = ${field.id} and m.v = any(${[...ids]}::int[])))`;
}

function textTest(field: SchemaField, code: number | null, texts: readonly string[], asked: Asked): Test {
  const [text = ''] = texts;
  const whole = sql`(fold(${textOf(field)}) collate "C")`;
  if (code === FILTER.contains) return containsTest(field, folded(text), whole, asked);
  if (code === null) return sql<boolean>`(${whole} like ${`%${like(folded(text))}`})`;
  const slot = slotOf(field);
  const fits = texts.every((each) => folded(each).length < SLOT_LENGTH);
  const column = slot && fits ? slot : whole;
  const operands = texts.map((each) => (column === slot ? slotText(each) : folded(each)));
  if (code === FILTER.startsWith) return sql<boolean>`(${column} like ${`${like(operands[0] ?? '')}%`})`;
  if (code === FILTER.in) return sql<boolean>`(${column} = any(${operands}::text[]))`;
  return compare(column, code, sql`${operands[0]}`);
}

function containsTest(field: SchemaField, part: string, whole: Sql, asked: Asked): Test {
  const found = foundTexts(field, part, asked);
  return found
    ? // Found as a whole, by their index: for a short page the planner would go through all texts, and find few or none.
      sql<boolean>`(e.entry_id in (${found} offset 0))`
    : sql<boolean>`(${whole} like ${`%${like(part)}%`})`;
}

/** Entries by their searched texts; undefined where these do not tell. */
function foundTexts(field: SchemaField, part: string, asked: Asked): Sql | undefined {
  if (!field.isSearchReady || part.length < SEARCHABLE_LENGTH) return undefined;
  return sql`select x.entry_id from entry_text x
    where x.site_id = ${asked.siteId} and x.field_id = ${field.id} and x.v like ${`%${like(part)}%`}`;
}

/** Where a part of a searched text is all that a condition asks for: the entries that have it. */
export function textsWith(condition: Condition, fieldOf: FieldOf, asked: Asked): Sql | undefined {
  if (condition.kind !== 'comparison') {
    const [only, ...others] = condition.of;
    return only && others.length === 0 ? textsWith(only, fieldOf, asked) : undefined;
  }
  const { field, operation, operands } = condition;
  const [part] = operands;
  return field !== ENTRY_ID && operation.id === FILTER.contains && typeof part === 'string'
    ? foundTexts(fieldOf(field.id), folded(part), asked)
    : undefined;
}
