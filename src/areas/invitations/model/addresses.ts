import { MAX_DURATION_DAYS, PERMANENT, TEMPORARY } from '../../../../contract/rules/people/invitations.ts';
import { parseNameList } from '../../../../contract/rules/tables/name-list.ts';
import { findEmails } from '../../../directory/paste/emails.ts';
import { parseCsv } from '../../../files/csv/parse-csv.ts';
import { toEmailKey } from '../../../lib/text/email-key.ts';

const EMPTY_LINE = /\r?\n[^\S\n]*\r?\n/;
const LINE = /\r?\n/;
const WORD_SEPARATORS = /[\s,;<>()[\]"]+/;
/** Requires text before the sign: "@channel" is not an address. */
const LIKE_ADDRESS = /[^@\s]@/;
const LONE_DOMAIN = /^[\p{L}\p{N}._-]+\.\p{L}{2,}$/u;

/**
 * Parses any text: addresses are found in letters, lists and signatures; a paragraph with a heading that names an
 * address column is parsed as a table with type, days and groups per row.
 */
export const parseEntries = (text: string): AddressEntry[] =>
  text.split(EMPTY_LINE).flatMap((part) => parseTable(part) ?? part.split(LINE).flatMap(parseLine));

/** Addresses of a line, and words that look like one. */
function parseLine(line: string): AddressEntry[] {
  const entries: AddressEntry[] = [];
  let last = 0;
  const whole = line.trim();
  for (const { email, longer, start, end } of findEmails(line)) {
    entries.push(
      ...toInvalidEntries(line.slice(last, start)),
      createEntry(longer === whole ? longer : email),
    );
    last = end;
  }
  entries.push(...toInvalidEntries(line.slice(last)));
  return entries.length === 0 && LONE_DOMAIN.test(whole) ? [createInvalidEntry(whole)] : entries;
}

const toInvalidEntries = (rest: string): AddressEntry[] =>
  rest
    .split(WORD_SEPARATORS)
    .filter((word) => LIKE_ADDRESS.test(word))
    .map((word) => createInvalidEntry(word));

type Column = 'email' | 'type' | 'days' | 'groups';

/** Accepted headings; the address column may also be guessed. */
const HEADINGS: Record<Column, RegExp> = {
  email: /^(e-?mail|mail|login|address)([ _-]?address(es)?)?$/i,
  type: /^(type|membership|invitation[ _-]?type)$/i,
  days: /^(duration|days)([ _-]?\(?(in )?days\)?)?$/i,
  groups: /^(user[ _-]?)?groups?$/i,
};

const TYPE_BY_NAME: ReadonlyMap<string, number> = new Map([
  ['permanent', PERMANENT],
  ['0', PERMANENT],
  ['temporary', TEMPORARY],
  ['1', TEMPORARY],
]);

const FIRST_LINE = /^[^\n]*/;
const SEPARATORS = /[,;\t|]/;

/** Rows of a paragraph that starts with headings including an address column; undefined for other text. */
function parseTable(part: string): AddressEntry[] | undefined {
  const [first = ''] = FIRST_LINE.exec(part.trimStart()) ?? [];
  const named = first
    .split(SEPARATORS)
    .some((cell) => HEADINGS.email.test(unquote(cell)) || /e-?mail/i.test(cell));
  if (!named || first.includes('@') || (!SEPARATORS.test(first) && !HEADINGS.email.test(unquote(first))))
    return undefined;
  const { headings, rows } = parseCsv(part);
  const columns = findColumns(
    headings,
    rows.map(({ cells }) => cells),
  );
  if (columns.email === undefined) return undefined;
  return rows.map(({ cells, error }) =>
    error === undefined
      ? parseTableRow(cells, columns)
      : createInvalidEntry(getCell(cells, columns.email), error),
  );
}

const unquote = (cell: string): string => cell.replaceAll('"', '').trim();
const getCell = (cells: readonly string[], at: number | undefined): string =>
  at === undefined ? '' : (cells[at] ?? '').trim();

/** Finds the columns; without a heading the address column is the one with most addresses. */
function findColumns(headings: readonly string[], rows: readonly (readonly string[])[]) {
  const named = (column: Column) => {
    const at = headings.findIndex((heading) => HEADINGS[column].test(heading));
    return at < 0 ? undefined : at;
  };
  const withAddress = (at: number) => rows.filter((cells) => (cells[at] ?? '').includes('@')).length;
  const guessed = headings.map((_, at) => at).toSorted((a, b) => withAddress(b) - withAddress(a))[0];
  return {
    email: named('email') ?? guessed,
    type: named('type'),
    days: named('days'),
    groups: named('groups'),
  };
}

type Columns = ReturnType<typeof findColumns>;

function parseTableRow(cells: readonly string[], { email: at, ...columns }: Columns): AddressEntry {
  const text = getCell(cells, at);
  const [found] = findEmails(text);
  const email = found ? (found.longer === text ? text : found.email) : text;
  const own: RowTerms = {};
  const type = getCell(cells, columns.type).toLowerCase();
  const days = getCell(cells, columns.days).replace(/\s*days?$/i, '');
  const groups = parseNameList(getCell(cells, columns.groups));
  if (days !== '') Object.assign(own, { type: TEMPORARY, days: Number(days) });
  if (type !== '') own.type = TYPE_BY_NAME.get(type) ?? Number.NaN;
  if (groups.length > 0) own.groups = groups;
  const error = found ? getTermsError(own, type, days) : NOT_AN_ADDRESS;
  return error === undefined ? createEntry(email, own) : createInvalidEntry(email, error);
}

function getTermsError({ type, days: number }: RowTerms, text: string, days: string): string | undefined {
  if (Number.isNaN(type)) return `“${text}” is neither Permanent nor Temporary`;
  if (number === undefined) return undefined;
  if (type === PERMANENT) return 'Permanent, but with days';
  const fits = Number.isInteger(number) && number >= 1 && number <= MAX_DURATION_DAYS;
  return fits ? undefined : `“${days}” is not a number of days between 1 and ${MAX_DURATION_DAYS}`;
}

/** Terms of a row that apply to its address only. */
export interface RowTerms {
  type?: number;
  days?: number;
  /** Group names. */
  groups?: readonly string[];
}

/** Address in the text, valid or not. */
export interface AddressEntry {
  email: string;
  /** Equal for different spellings of one address. */
  key: string;
  /** Reason why it cannot be used. */
  error?: string | undefined;
  rowTerms?: RowTerms | undefined;
}

export const NOT_AN_ADDRESS = 'This is not an e-mail address';

export const createEntry = (email: string, own?: RowTerms): AddressEntry => ({
  email,
  key: toEmailKey(email),
  rowTerms: own,
});

export const createInvalidEntry = (email: string, error = NOT_AN_ADDRESS): AddressEntry => ({
  email,
  key: toEmailKey(email),
  error,
});
