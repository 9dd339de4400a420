import { fold } from '../lib/fold.ts';
import { cellsOf, linesOf, columnsOf } from './paste/cells.ts';
import type { Cell } from './paste/cells.ts';
import { emailsIn } from './paste/emails.ts';
import { byGivenName, byOneName, isNameLike, isNamePart, namesWithin, wholeName } from './paste/names.ts';
import type { Names } from './paste/names.ts';
import { bare, withoutNumbering } from './paste/words.ts';

/** Who is meant by a pasted text. */
interface Resolved {
  /** Entries that mean one person, each person once. */
  matched: { entry: string; ids: number[] }[];
  /** Names that several people have. */
  ambiguous: { entry: string; ids: number[] }[];
  /** What looks like an id, an address or a name and is nobody's. */
  unknown: string[];
  /** Whether the text was longer than `PASTE_LIMIT`; what comes after it was not read. */
  cut: boolean;
}

/** What reading a text has found so far. */
class Findings {
  readonly #matched = new Map<number, string>();
  readonly #ambiguous = new Map<string, { entry: string; ids: number[] }>();
  readonly #unknown = new Map<string, string>();
  /** Of the line that is being read. */
  #people = new Set<number>();
  #doubtful: { entry: string; ids: readonly number[] }[] = [];
  /** Words alone on their line that are nobody's name: told where the line beside them is an entry as well. */
  #alone: string[] = [];
  #wasList = false;
  #lines = 0;

  note(entry: string, ids: readonly number[]): void {
    const [id] = ids;
    if (id === undefined) {
      if (!this.#unknown.has(fold(entry))) this.#unknown.set(fold(entry), entry);
      return;
    }
    if (ids.length > 1) {
      this.#doubtful.push({ entry, ids });
      return;
    }
    this.#people.add(id);
    if (!this.#matched.has(id)) this.#matched.set(id, entry);
  }

  /**
   * Notes the words of a line that may be names and are nobody's. In a list they are entries; in a letter they are
   * its signature, its place, a heading.
   */
  noteAlone(words: readonly string[], line: { isList: boolean; cells: number }): void {
    if (line.cells === 0) return;
    this.#lines += 1;
    const isAmongEntries = line.isList && (this.#wasList || line.cells > 1);
    if (isAmongEntries) for (const word of [...this.#alone, ...words]) this.note(word, []);
    this.#alone = line.isList && !isAmongEntries ? [...words] : [];
    this.#wasList = line.isList;
  }

  /** A name that several have means the one whose id or address stands beside it. */
  endLine(): void {
    for (const { entry, ids } of this.#doubtful)
      if (!ids.some((id) => this.#people.has(id))) this.#ambiguous.set(fold(entry), { entry, ids: [...ids] });
    if (this.#people.size > 0) this.#people = new Set();
    if (this.#doubtful.length > 0) this.#doubtful = [];
  }

  resolved(cut: boolean): Resolved {
    if (this.#lines === 1) for (const word of this.#alone) this.note(word, []);
    return {
      matched: Array.from(this.#matched, ([id, entry]) => ({ entry, ids: [id] })),
      ambiguous: [...this.#ambiguous.values()],
      unknown: [...this.#unknown.values()],
      cut,
    };
  }
}

export type { Resolved };

/** Longer texts are read up to here, in characters; `Resolved` says so. */
export const PASTE_LIMIT = 4_000_000;

/** How people are looked up; addresses and names are folded. */
export interface Lookup {
  hasId: (id: number) => boolean;
  /** Whether some name begins with this word. */
  begins: (word: string) => boolean;
  /** Who has these names and addresses. */
  find: (keys: ReadonlySet<string>) => ReadonlyMap<string, readonly number[]>;
}

type Known = Names & Pick<Lookup, 'hasId'>;

const DIGITS = /^\d{1,10}$/;
const ID = /^(?:0|[1-9]\d{0,9})$/;
/** The number of a line in a list that was copied with its tabs. */
const LIST_NUMBER = /^\s{0,9}\d{1,4}[.)]\t/;
const DISPLAY_NAME = /<\s{0,3}(?:mailto:\s?)?$/i;
/** A number that is said to be a user's: "user 1042", "userId=1042", "users/1042", and "id: 1042" where a cell begins. */
const LABELED =
  /(?:\b(?:user|member|person)(?:[ _-]?id)?["']?[\s:=#]{1,3}["']?|\busers[ /]|^["'{([\s]{0,4}ids?["']?[\s:=#]{1,3})(\d{1,10})\b/gi;
const NOBODY: readonly number[] = [];

/**
 * Reads whom a pasted text means: ids, e-mail addresses and names in a column, a table, a log or a letter. A given or
 * family name alone means people where it stands like an entry. Only what stands so is told as unknown; other words
 * and numbers are passed over.
 */
export function resolvePasted(text: string, people: Lookup): Resolved {
  const cut = text.length > PASTE_LIMIT;
  const lines = linesOf(cut ? untilSeparator(text) : text);
  const hasId = (id: number) => people.hasId(id);
  const begins = (word: string) => people.begins(word);
  // Read twice, the first time only to learn what has to be looked up: nobody else's name is kept for that.
  const asked = new Set<string>();
  const ask = (key: string) => {
    asked.add(key);
    return NOBODY;
  };
  readLines(lines, { hasId, begins, find: ask });
  const answers = people.find(asked);
  return readLines(lines, { hasId, begins, find: (key) => answers.get(key) ?? NOBODY }).resolved(cut);
}

/** Half an id would be somebody else's. */
function untilSeparator(text: string): string {
  let end = PASTE_LIMIT;
  while (end > 0 && !/[\s,;|]/.test(text[end] ?? '')) end -= 1;
  return text.slice(0, end);
}

function readLines(lines: readonly string[], known: Known): Findings {
  const found = new Findings();
  let table: Table | undefined;
  for (const line of lines) {
    const record = table && recordOf(table, line);
    if (record) readRecord(record, known, found);
    else {
      table = tableFrom(line);
      if (!table) readLine(line, known, found);
    }
    found.endLine();
  }
  return found;
}

/** A row of a table means one person; where its id and its address are two, nobody can tell which. */
function readRecord(record: Partial<Record<Column, string>>, known: Known, found: Findings): void {
  const { id = '', email = '', firstName = '', lastName = '' } = record;
  const name = record.name ?? `${firstName} ${lastName}`;
  const ids = new Set(email === '' ? NOBODY : known.find(fold(bare(email))));
  if (ID.test(bare(id)) && known.hasId(Number(bare(id)))) ids.add(Number(bare(id)));
  const entry = [email, id, name].map((one) => one.trim()).find((one) => one !== '');
  if (entry !== undefined) found.note(entry, ids.size > 0 ? [...ids] : wholeName(name, known));
}

function readLine(line: string, known: Known, found: Findings): void {
  const cells = cellsOf(line.replace(LIST_NUMBER, ''));
  const isList = cells.every(isEntry);
  const alone: string[] = [];
  let at = 0;
  while (at < cells.length) {
    const cell = cells[at];
    if (!cell) break;
    const pair = readPair(cells, at, known, found);
    if (pair === 0 && !readCell(cell, known, found) && isList) readAlone(cell, known, found, alone);
    at += pair || 1;
  }
  found.noteAlone(alone, { isList, cells: cells.length });
}

/** Whether a cell could be an entry of a list: an address, a number, a name or a part of one. */
function isEntry({ text }: Cell): boolean {
  const entry = withoutNumbering(text);
  return text.includes('@') || DIGITS.test(entry) || isNamePart(entry);
}

function readAlone({ text }: Cell, known: Known, found: Findings, alone: string[]): void {
  const entry = withoutNumbering(text);
  const ids = byOneName(entry, known);
  if (ids.length > 0 || isNameLike(entry)) found.note(entry, ids);
  else if (!isTitle(entry)) alone.push(entry);
}

/** A family name and a given name in two cells; returns how many cells were read. */
function readPair(cells: readonly Cell[], at: number, known: Known, found: Findings): number {
  const first = nameOf(cells[at]);
  const second = nameOf(cells[at + 1]);
  if (first === undefined || second === undefined) return 0;
  if (wholeName(first, known).length > 0 || wholeName(second, known).length > 0) return 0;
  const ids = wholeName(`${second} ${first}`, known);
  if (ids.length === 0 && !isUnknownPair(cells, at, first, second)) return 0;
  // Two given names are two people, not one whom nobody knows.
  const given = [first, second].map((name) => byGivenName(name, known));
  if (ids.length === 0 && given.every((people) => people.length > 0)) return 0;
  found.note(`${first}, ${second}`, ids);
  return 2;
}

/** Two cells with nothing beside them that only together look like a name. */
function isUnknownPair(cells: readonly Cell[], at: number, first: string, second: string): boolean {
  const field = cells[at]?.field;
  return (
    cells[at + 1]?.field === field &&
    cells[at - 1]?.field !== field &&
    cells[at + 2]?.field !== field &&
    !(isNameLike(first) || isNameLike(second)) &&
    isNamePart(first) &&
    isNamePart(second)
  );
}

/** The text of a cell that may be a name or a part of one. */
function nameOf(cell: Cell | undefined): string | undefined {
  const text = withoutNumbering(cell?.text ?? '');
  return text === '' || text.includes('@') || DIGITS.test(text) ? undefined : text;
}

/** Reads a cell that says by itself whom it means; whether it does. */
function readCell({ text }: Cell, known: Known, found: Findings): boolean {
  const entry = withoutNumbering(text);
  if (text.includes('@')) readAddresses(text, known, found);
  else if (DIGITS.test(entry))
    found.note(entry, ID.test(entry) && known.hasId(Number(entry)) ? [Number(entry)] : NOBODY);
  else return readWords(entry, known, found);
  return true;
}

/** Names and labeled ids; whether there were any. */
function readWords(text: string, known: Known, found: Findings): boolean {
  const whole = wholeName(text, known);
  const names = whole.length > 0 ? [{ entry: text, ids: whole }] : namesWithin(text, known);
  const labeled = Array.from(text.matchAll(LABELED), ([, id = '']) => id).filter(
    (id) => ID.test(id) && known.hasId(Number(id)),
  );
  for (const { entry, ids } of names) found.note(entry, ids);
  for (const id of labeled) found.note(id, [Number(id)]);
  return names.length + labeled.length > 0;
}

/** Addresses, and the people named around them; `Zoë <zoe@x.example>` means its address alone. */
function readAddresses(text: string, known: Known, found: Findings): void {
  let last = 0;
  const emails = emailsIn(text);
  for (const { email, longer, start, end } of emails) {
    const before = text.slice(last, start);
    if (!DISPLAY_NAME.test(before)) readWords(bare(before), known, found);
    const ids = known.find(fold(longer));
    found.note(email, ids.length > 0 ? ids : known.find(fold(email)));
    last = end;
  }
  readWords(bare(text.slice(last)), known, found);
}

/** What a column of a pasted table tells about the person of its row. */
type Column = 'id' | 'email' | 'name' | 'firstName' | 'lastName';

const TITLES: Record<string, Column> = {
  id: 'id',
  userid: 'id',
  email: 'email',
  mail: 'email',
  emailaddress: 'email',
  name: 'name',
  fullname: 'name',
  displayname: 'name',
  person: 'name',
  firstname: 'firstName',
  givenname: 'firstName',
  forename: 'firstName',
  lastname: 'lastName',
  surname: 'lastName',
  familyname: 'lastName',
};

/** No header is as long as this. */
const LONGEST = 2000;
const ENTRY = /^\d+$|@/;

interface Table {
  separator: string;
  /** By place; undefined for columns that tell nobody. */
  columns: readonly (Column | undefined)[];
}

/** The table that begins with this line, where it is a header that says who is in the rows. */
function tableFrom(header: string): Table | undefined {
  const separator = ['\t', ';', '|', ','].find((one) => header.includes(one));
  if (separator === undefined || header.length > LONGEST) return undefined;
  const titles = columnsOf(header, separator).map(keyOf);
  // "id; 1042; 1043" is a list.
  if (titles.some((title) => ENTRY.test(title))) return undefined;
  const columns = titles.map((title) => TITLES[title]);
  const telling = columns.filter((column) => column !== undefined);
  const isEnough = telling.some((column) => column === 'id' || column === 'email' || column === 'name');
  const isPair = telling.includes('firstName') && telling.includes('lastName');
  return isEnough || isPair ? { separator, columns } : undefined;
}

/** Whether a word is the title of a column that tells who is in it. */
const isTitle = (text: string): boolean => TITLES[keyOf(text)] !== undefined;

const keyOf = (title: string): string => bare(fold(title)).replaceAll(/[\s_-]/g, '');

/** What a row of the table says, by column; undefined where the line is no row of it. */
function recordOf(table: Table, line: string): Partial<Record<Column, string>> | undefined {
  const cells = columnsOf(line, table.separator);
  if (cells.length !== table.columns.length) return undefined;
  const record: Partial<Record<Column, string>> = {};
  for (const [at, column] of table.columns.entries()) if (column) record[column] ??= cells[at] ?? '';
  return record;
}
