import { foldText } from '../../../../contract/rules/fold-text.ts';
import { parseNameList } from '../../../../contract/rules/tables/name-list.ts';
import { FALSE_WORDS, TRUE_WORDS } from '../../../files/table/cell-values.ts';
import { parseAmount, parseDate, parseNumber, parseTimestamp } from './parse-row.ts';

/** Kinds of fields that an import can create. */
export type NewFieldKind =
  | 'text'
  | 'number'
  | 'money'
  | 'date'
  | 'dateTime'
  | 'boolean'
  | 'choice'
  | 'choices'
  | 'reference'
  | 'user';

/** What a column seems to hold. */
export interface ColumnGuess {
  kind: NewFieldKind;
  /** Entry type of a reference. */
  typeId?: number;
  /** Whether every row of the sample has a value that no other row has. */
  isUnique: boolean;
  /** Set if the numbers or dates can only be read this way. */
  decimal?: 'comma';
  dates?: 'mdy';
  /** Some of the different values. */
  sample: readonly string[];
}

/** Rows of a file that a guess is made from. */
export const SAMPLE_ROWS = 1000;
const SAMPLE_VALUES = 50;
/** More choices than these are rather names; the person can still choose a choice field. */
const MAX_GUESSED_CHOICES = 50;
const MAX_CHOICE_LENGTH = 60;
/** Share of values that may be different ones in a column of choices. */
const CHOICE_SHARE = 0.5;
const NAMED_CHOICE_SHARE = 0.9;
const MIN_LISTS_SHARE = 0.2;

// Words of folded headings. A heading says more than few values do.
const CHOICE_HEADING =
  /\b(?:category|class|country|currency|gender|industry|kind|language|level|phase|priority|rating|region|sector|segment|size|stage|state|status|type)\b/;
const FREE_TEXT_HEADING =
  /\b(?:address|city|code|comments?|description|e-?mail|fax|first|last|mobile|names?|notes?|phone|postcode|street|subject|surname|telephone|title|town|url|web|website|zip)\b/;

const POINT = { decimal: 'point', dates: 'dmy', zone: 'UTC' } as const;
const COMMA = { ...POINT, decimal: 'comma' } as const;
const MONTH_FIRST = { ...POINT, dates: 'mdy' } as const;

const isParsed = (result: object): boolean => !('error' in result);
/** Numbers that would lose digits as such: codes with leading zeros, telephone numbers. */
const isCode = (value: string): boolean => /^(?:0\d|\+)/.test(value);

const isYesOrNo = (value: string): boolean => {
  const word = foldText(value);
  return TRUE_WORDS.has(word) || FALSE_WORDS.has(word);
};

type Finding = Pick<ColumnGuess, 'kind' | 'decimal' | 'dates'>;

function guessNumber(values: readonly string[]): Finding | undefined {
  if (values.some(isCode)) return undefined;
  if (values.every((value) => isParsed(parseNumber(value, POINT)))) return { kind: 'number' };
  if (values.every((value) => isParsed(parseNumber(value, COMMA))))
    return { kind: 'number', decimal: 'comma' };
  const hasCurrency = (rules: typeof POINT | typeof COMMA) => (value: string) => {
    const read = parseAmount(value, '', rules);
    return 'value' in read && read.value.currencyCode !== undefined;
  };
  if (values.every(hasCurrency(POINT))) return { kind: 'money' };
  return values.every(hasCurrency(COMMA)) ? { kind: 'money', decimal: 'comma' } : undefined;
}

function guessDate(values: readonly string[]): Finding | undefined {
  for (const rules of [POINT, MONTH_FIRST]) {
    const order = rules.dates === 'mdy' ? { dates: rules.dates } : {};
    if (values.every((value) => isParsed(parseDate(value, rules)))) return { kind: 'date', ...order };
    if (values.every((value) => isParsed(parseTimestamp(value, rules))))
      return { kind: 'dateTime', ...order };
  }
  return undefined;
}

/** Whether these values repeat like choices do. */
function areChoices(values: readonly string[], heading: string): boolean {
  const isNamed = CHOICE_HEADING.test(heading);
  const different = new Set(values.map((value) => value.toLowerCase())).size;
  return (
    different <= MAX_GUESSED_CHOICES &&
    different <= values.length * (isNamed ? NAMED_CHOICE_SHARE : CHOICE_SHARE) &&
    values.every((value) => value.length <= MAX_CHOICE_LENGTH)
  );
}

function guessChoice(values: readonly string[], heading: string): Finding | undefined {
  if (FREE_TEXT_HEADING.test(heading) && !CHOICE_HEADING.test(heading)) return undefined;
  const lists = values.map(parseNameList);
  const listCount = lists.filter(({ length }) => length > 1).length;
  if (listCount >= values.length * MIN_LISTS_SHARE)
    return areChoices(lists.flat(), heading) ? { kind: 'choices' } : undefined;
  return areChoices(values, heading) ? { kind: 'choice' } : undefined;
}

/** Guesses the kind of field for the values of a column, empty ones included. */
export function guessColumn(columnHeading: string, cells: readonly string[]): ColumnGuess {
  const values = cells.map((cell) => cell.trim()).filter((value) => value !== '');
  const heading = foldText(columnHeading).replaceAll(/[_.]+/g, ' ');
  const different = new Set(values.map((value) => value.toLowerCase()));
  const isUnique = values.length > 0 && different.size === cells.length;
  const sample = [...new Set(values)].slice(0, SAMPLE_VALUES);
  if (values.length === 0) return { kind: 'text', isUnique, sample };
  const isBoolean = values.every(isYesOrNo) && values.some((value) => !/^\d$/.test(value));
  const found = isBoolean
    ? ({ kind: 'boolean' } as const)
    : (guessNumber(values) ?? guessDate(values) ?? guessChoice(values, heading));
  return { ...(found ?? { kind: 'text' }), isUnique, sample };
}

/** Names for a type from the name of a file or sheet: `companies_2026.csv` gives Company and Companies. */
export function guessTypeNames(fileName: string): { singularName: string; pluralName: string } {
  const words = fileName
    .replace(/\.[A-Za-z0-9]{1,5}$/, '')
    .replaceAll(/[_\-–.()[\]\d]+/g, ' ')
    .trim()
    .replaceAll(/\s+/g, ' ');
  const name = words === '' ? 'Entries' : words.slice(0, 1).toUpperCase() + words.slice(1);
  const singularName = toSingular(name);
  return { singularName, pluralName: singularName === name ? toPlural(name) : name };
}

const toSingular = (name: string): string => {
  if (/[^aeiou]ies$/i.test(name)) return name.replace(/ies$/i, 'y');
  if (/(?:ss|x|ch|sh)es$/i.test(name)) return name.slice(0, -2);
  return /[^su]s$/i.test(name) ? name.slice(0, -1) : name;
};

const toPlural = (name: string): string => {
  if (/[^aeiou]y$/i.test(name)) return `${name.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/i.test(name) ? `${name}es` : `${name}s`;
};
