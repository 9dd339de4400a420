import { emailsIn } from '../../../directory/paste/emails.ts';
import { entryOf, faulty, NOT_AN_ADDRESS } from './entry.ts';
import type { Entry, OwnTerms } from './entry.ts';
import { MOST_DAYS, PERMANENT, TEMPORARY } from '../../../../contract/rules/invitations.ts';
import { splitNames } from '../../../files/name-list.ts';
import { parse } from '../../../files/parse.ts';

const EMPTY_LINE = /\r?\n[^\S\n]*\r?\n/;
const LINE = /\r?\n/;
const BETWEEN = /[\s,;<>()[\]"]+/;
/** Something before the sign: "@channel" is none. */
const MEANT = /[^@\s]@/;
const LONE_DOMAIN = /^[\p{L}\p{N}._-]+\.\p{L}{2,}$/u;

/**
 * Reads a text as it comes: addresses are found in letters, lists and signatures; a part with a heading that names a
 * column of addresses is read as a table, with the type, days and groups of each row.
 */
export const readEntries = (text: string): Entry[] =>
  text.split(EMPTY_LINE).flatMap((part) => tableIn(part) ?? part.split(LINE).flatMap(entriesIn));

/** The addresses of a line, and what stands there like one. */
function entriesIn(line: string): Entry[] {
  const entries: Entry[] = [];
  let last = 0;
  const whole = line.trim();
  for (const { email, longer, start, end } of emailsIn(line)) {
    entries.push(...meant(line.slice(last, start)), entryOf(longer === whole ? longer : email));
    last = end;
  }
  entries.push(...meant(line.slice(last)));
  return entries.length === 0 && LONE_DOMAIN.test(whole) ? [faulty(whole)] : entries;
}

const meant = (rest: string): Entry[] =>
  rest
    .split(BETWEEN)
    .filter((word) => MEANT.test(word))
    .map((word) => faulty(word));

type Column = 'email' | 'type' | 'days' | 'groups';

/** Headings as people write them; the address may also be guessed. */
const HEADINGS: Record<Column, RegExp> = {
  email: /^(e-?mail|mail|login|address)([ _-]?address(es)?)?$/i,
  type: /^(type|membership|invitation[ _-]?type)$/i,
  days: /^(duration|days)([ _-]?\(?(in )?days\)?)?$/i,
  groups: /^(user[ _-]?)?groups?$/i,
};

const TYPES: Readonly<Record<string, number>> = {
  permanent: PERMANENT,
  0: PERMANENT,
  temporary: TEMPORARY,
  1: TEMPORARY,
};

const FIRST_LINE = /^[^\n]*/;
const SEPARATORS = /[,;\t|]/;

/** The rows of a part of text that begins with headings, one of which names addresses; undefined for any other text. */
function tableIn(part: string): Entry[] | undefined {
  const [first = ''] = FIRST_LINE.exec(part.trimStart()) ?? [];
  const named = first
    .split(SEPARATORS)
    .some((cell) => HEADINGS.email.test(bare(cell)) || /e-?mail/i.test(cell));
  if (!named || first.includes('@') || (!SEPARATORS.test(first) && !HEADINGS.email.test(bare(first))))
    return undefined;
  const { headings, rows } = parse(part);
  const columns = columnsOf(
    headings,
    rows.map(({ cells }) => cells),
  );
  if (columns.email === undefined) return undefined;
  return rows.map(({ cells, broken }) =>
    broken === undefined ? rowOf(cells, columns) : faulty(cellsIn(cells, columns.email), broken),
  );
}

const bare = (cell: string): string => cell.replaceAll('"', '').trim();
const cellsIn = (cells: readonly string[], at: number | undefined): string =>
  at === undefined ? '' : (cells[at] ?? '').trim();

/** Which column holds what; where no heading says so, addresses are where most rows have one. */
function columnsOf(headings: readonly string[], rows: readonly (readonly string[])[]) {
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

type Columns = ReturnType<typeof columnsOf>;

function rowOf(cells: readonly string[], { email: at, ...columns }: Columns): Entry {
  const text = cellsIn(cells, at);
  const [found] = emailsIn(text);
  const email = found ? (found.longer === text ? text : found.email) : text;
  const own: OwnTerms = {};
  const type = cellsIn(cells, columns.type).toLowerCase();
  const days = cellsIn(cells, columns.days).replace(/\s*days?$/i, '');
  const groups = splitNames(cellsIn(cells, columns.groups));
  if (days !== '') Object.assign(own, { type: TEMPORARY, days: Number(days) });
  if (type !== '') own.type = TYPES[type] ?? Number.NaN;
  if (groups.length > 0) own.groups = groups;
  const fault = found ? faultOf(own, type, days) : NOT_AN_ADDRESS;
  return fault === undefined ? entryOf(email, own) : faulty(email, fault);
}

function faultOf({ type, days: number }: OwnTerms, said: string, days: string): string | undefined {
  if (Number.isNaN(type)) return `“${said}” is neither Permanent nor Temporary`;
  if (number === undefined) return undefined;
  if (type === PERMANENT) return 'Permanent, and yet with days';
  const fits = Number.isInteger(number) && number >= 1 && number <= MOST_DAYS;
  return fits ? undefined : `“${days}” is no number of days between 1 and ${MOST_DAYS}`;
}
