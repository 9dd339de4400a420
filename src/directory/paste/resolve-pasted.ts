import { foldText } from '../../../contract/rules/fold-text.ts';
import { findEmails } from './emails.ts';
import {
  findByGivenName,
  findBySingleName,
  isNameLike,
  isNamePart,
  findNamesWithin,
  findByFullName,
} from './names.ts';
import type { NameLookup } from './names.ts';
import { trimPunctuation, stripNumbering } from './words.ts';

/** Users named in a pasted text. */
export interface ResolvedPaste {
  /** Entries that match exactly one user; each user once. */
  matched: { entry: string; ids: number[] }[];
  /** Names shared by several users. */
  ambiguous: { entry: string; ids: number[] }[];
  /** Entries in the form of an id, an address or a name that match no user. */
  unknown: string[];
  /** Whether the text was longer than `PASTE_LIMIT` and the rest was not read. */
  cut: boolean;
}

/** Collects the entries found while a text is read. */
class PasteFindings {
  readonly #matched = new Map<number, string>();
  readonly #ambiguous = new Map<string, { entry: string; ids: number[] }>();
  readonly #unknown = new Map<string, string>();
  /** Users matched on the current line. */
  #people = new Set<number>();
  #ambiguousOnLine: { entry: string; ids: readonly number[] }[] = [];
  /** Single words on the previous line that match nobody; unknown entries if the next line is an entry as well. */
  #singleWords: string[] = [];
  #isPreviousLineList = false;
  #lines = 0;

  addEntry(entry: string, ids: readonly number[]): void {
    const [id] = ids;
    if (id === undefined) {
      if (!this.#unknown.has(foldText(entry))) this.#unknown.set(foldText(entry), entry);
      return;
    }
    if (ids.length > 1) {
      this.#ambiguousOnLine.push({ entry, ids });
      return;
    }
    this.#people.add(id);
    if (!this.#matched.has(id)) this.#matched.set(id, entry);
  }

  /**
   * Adds the words of a line that may be names but match nobody. In a list they are unknown entries; in a letter they are
   * the signature, the place or a heading, and are ignored.
   */
  addSingleWords(words: readonly string[], line: { isList: boolean; cells: number }): void {
    if (line.cells === 0) return;
    this.#lines += 1;
    const isAmongEntries = line.isList && (this.#isPreviousLineList || line.cells > 1);
    if (isAmongEntries) for (const word of [...this.#singleWords, ...words]) this.addEntry(word, []);
    this.#singleWords = line.isList && !isAmongEntries ? [...words] : [];
    this.#isPreviousLineList = line.isList;
  }

  /** Ends a line: an ambiguous name is resolved by an id or address on the same line. */
  endLine(): void {
    for (const { entry, ids } of this.#ambiguousOnLine)
      if (!ids.some((id) => this.#people.has(id)))
        this.#ambiguous.set(foldText(entry), { entry, ids: [...ids] });
    if (this.#people.size > 0) this.#people = new Set();
    if (this.#ambiguousOnLine.length > 0) this.#ambiguousOnLine = [];
  }

  toResolved(cut: boolean): ResolvedPaste {
    if (this.#lines === 1) for (const word of this.#singleWords) this.addEntry(word, []);
    return {
      matched: Array.from(this.#matched, ([id, entry]) => ({ entry, ids: [id] })),
      ambiguous: [...this.#ambiguous.values()],
      unknown: [...this.#unknown.values()],
      cut,
    };
  }
}

/** Maximum length of the text in characters; longer texts are cut, with `cut` set. */
export const PASTE_LIMIT = 4_000_000;

/** Lookup of users; addresses and names are folded. */
export interface Lookup {
  hasId: (id: number) => boolean;
  /** Whether any name starts with the word. */
  hasNameStartingWith: (word: string) => boolean;
  /** Returns the ids of users by name or address. */
  find: (keys: ReadonlySet<string>) => ReadonlyMap<string, readonly number[]>;
}

type KnownPeople = NameLookup & Pick<Lookup, 'hasId'>;

const DIGITS = /^\d{1,10}$/;
const ID = /^(?:0|[1-9]\d{0,9})$/;
/** Number of a list item that was copied with its tab. */
const LIST_NUMBER = /^\s{0,9}\d{1,4}[.)]\t/;
const DISPLAY_NAME = /<\s{0,3}(?:mailto:\s?)?$/i;
/** A labeled user id: "user 1042", "userId=1042", "users/1042", and "id: 1042" at the start of a cell. */
const LABELED_ID =
  /(?:\b(?:user|member|person)(?:[ _-]?id)?["']?[\s:=#]{1,3}["']?|\busers[ /]|^["'{([\s]{0,4}ids?["']?[\s:=#]{1,3})(\d{1,10})\b/gi;
const NOBODY: readonly number[] = [];

/**
 * Resolves the users named in a pasted text: ids, e-mail addresses and names in a column, a table, a log or a letter. A
 * given or family name alone counts only in the position of an entry, and only such entries are reported as unknown;
 * other words and numbers are ignored.
 */
export function resolvePasted(text: string, people: Lookup): ResolvedPaste {
  const cut = text.length > PASTE_LIMIT;
  const lines = splitLines(cut ? cutAtSeparator(text) : text);
  const hasId = (id: number) => people.hasId(id);
  const hasNameStartingWith = (word: string) => people.hasNameStartingWith(word);
  // Two passes: the first collects the keys, so that one lookup over all users answers them.
  const requestedKeys = new Set<string>();
  const recordKey = (key: string) => {
    requestedKeys.add(key);
    return NOBODY;
  };
  readLines(lines, { hasId, hasNameStartingWith, find: recordKey });
  const idsByKey = people.find(requestedKeys);
  return readLines(lines, {
    hasId,
    hasNameStartingWith,
    find: (key) => idsByKey.get(key) ?? NOBODY,
  }).toResolved(cut);
}

/** Cuts the text at a separator, because half an id could be the id of another user. */
function cutAtSeparator(text: string): string {
  let end = PASTE_LIMIT;
  while (end > 0 && !/[\s,;|]/.test(text[end] ?? '')) end -= 1;
  return text.slice(0, end);
}

function readLines(lines: readonly string[], people: KnownPeople): PasteFindings {
  const findings = new PasteFindings();
  let table: Table | undefined;
  for (const line of lines) {
    const record = table && parseRecord(table, line);
    if (record) readRecord(record, people, findings);
    else {
      table = parseTableHeader(line);
      if (!table) readLine(line, people, findings);
    }
    findings.endLine();
  }
  return findings;
}

/** Reads a table row, which names one user; it is ambiguous if id and address belong to different users. */
function readRecord(
  record: Partial<Record<Column, string>>,
  people: KnownPeople,
  findings: PasteFindings,
): void {
  const { id = '', email = '', firstName = '', lastName = '' } = record;
  const name = record.name ?? `${firstName} ${lastName}`;
  const ids = new Set(email === '' ? NOBODY : people.find(foldText(trimPunctuation(email))));
  if (ID.test(trimPunctuation(id)) && people.hasId(Number(trimPunctuation(id))))
    ids.add(Number(trimPunctuation(id)));
  const entry = [email, id, name].map((one) => one.trim()).find((one) => one !== '');
  if (entry !== undefined) findings.addEntry(entry, ids.size > 0 ? [...ids] : findByFullName(name, people));
}

function readLine(line: string, people: KnownPeople, findings: PasteFindings): void {
  const cells = splitCells(line.replace(LIST_NUMBER, ''));
  const isList = cells.every(isEntry);
  const alone: string[] = [];
  let at = 0;
  while (at < cells.length) {
    const cell = cells[at];
    if (!cell) break;
    const pair = readNamePair(cells, at, people, findings);
    if (pair === 0 && !readCell(cell, people, findings) && isList)
      readSingleName(cell, people, findings, alone);
    at += pair || 1;
  }
  findings.addSingleWords(alone, { isList, cells: cells.length });
}

/** Whether a cell has the form of a list entry: an address, a number, a name or a part of a name. */
function isEntry({ text }: Cell): boolean {
  const entry = stripNumbering(text);
  return text.includes('@') || DIGITS.test(entry) || isNamePart(entry);
}

function readSingleName({ text }: Cell, people: KnownPeople, findings: PasteFindings, alone: string[]): void {
  const entry = stripNumbering(text);
  const ids = findBySingleName(entry, people);
  if (ids.length > 0 || isNameLike(entry)) findings.addEntry(entry, ids);
  else if (!isTitle(entry)) alone.push(entry);
}

/** Reads a family name and a given name in two cells; returns the number of cells read. */
function readNamePair(
  cells: readonly Cell[],
  at: number,
  people: KnownPeople,
  findings: PasteFindings,
): number {
  const first = getNameText(cells[at]);
  const second = getNameText(cells[at + 1]);
  if (first === undefined || second === undefined) return 0;
  if (findByFullName(first, people).length > 0 || findByFullName(second, people).length > 0) return 0;
  const ids = findByFullName(`${second} ${first}`, people);
  if (ids.length === 0 && !isUnknownPair(cells, at, first, second)) return 0;
  // Two given names are two users, not one unknown user.
  const peopleByGivenName = [first, second].map((name) => findByGivenName(name, people));
  if (ids.length === 0 && peopleByGivenName.every(({ length }) => length > 0)) return 0;
  findings.addEntry(`${first}, ${second}`, ids);
  return 2;
}

/** Whether two adjacent cells of a field of their own look like a name only together. */
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

/** Returns the text of a cell that may be a name or a part of one. */
function getNameText(cell: Cell | undefined): string | undefined {
  const text = stripNumbering(cell?.text ?? '');
  return text === '' || text.includes('@') || DIGITS.test(text) ? undefined : text;
}

/** Reads a cell that names users by itself; false if it does not. */
function readCell({ text }: Cell, people: KnownPeople, findings: PasteFindings): boolean {
  const entry = stripNumbering(text);
  if (text.includes('@')) readAddresses(text, people, findings);
  else if (DIGITS.test(entry))
    findings.addEntry(entry, ID.test(entry) && people.hasId(Number(entry)) ? [Number(entry)] : NOBODY);
  else return readWords(entry, people, findings);
  return true;
}

/** Reads names and labeled ids; false if there were none. */
function readWords(text: string, people: KnownPeople, findings: PasteFindings): boolean {
  const whole = findByFullName(text, people);
  const names = whole.length > 0 ? [{ entry: text, ids: whole }] : findNamesWithin(text, people);
  const labeled = Array.from(text.matchAll(LABELED_ID), ([, id = '']) => id).filter(
    (id) => ID.test(id) && people.hasId(Number(id)),
  );
  for (const { entry, ids } of names) findings.addEntry(entry, ids);
  for (const id of labeled) findings.addEntry(id, [Number(id)]);
  return names.length + labeled.length > 0;
}

/** Reads addresses and the names between them; `Zoë <zoe@x.example>` counts as its address only. */
function readAddresses(text: string, people: KnownPeople, findings: PasteFindings): void {
  let last = 0;
  const emails = findEmails(text);
  for (const { email, longer, start, end } of emails) {
    const before = text.slice(last, start);
    if (!DISPLAY_NAME.test(before)) readWords(trimPunctuation(before), people, findings);
    const ids = people.find(foldText(longer));
    findings.addEntry(email, ids.length > 0 ? ids : people.find(foldText(email)));
    last = end;
  }
  readWords(trimPunctuation(text.slice(last)), people, findings);
}

/** Meaning of a column of a pasted table. */
type Column = 'id' | 'email' | 'name' | 'firstName' | 'lastName';

const COLUMNS_BY_TITLE: ReadonlyMap<string, Column> = new Map([
  ['id', 'id'],
  ['userid', 'id'],
  ['email', 'email'],
  ['mail', 'email'],
  ['emailaddress', 'email'],
  ['name', 'name'],
  ['fullname', 'name'],
  ['displayname', 'name'],
  ['person', 'name'],
  ['firstname', 'firstName'],
  ['givenname', 'firstName'],
  ['forename', 'firstName'],
  ['lastname', 'lastName'],
  ['surname', 'lastName'],
  ['familyname', 'lastName'],
]);

/** Upper bound of a header line in characters; a longer line is not a table header. */
const MAX_HEADER_LENGTH = 2000;
const ENTRY_PATTERN = /^\d+$|@/;

interface Table {
  separator: string;
  /** By position; undefined for columns that do not identify a user. */
  columns: readonly (Column | undefined)[];
}

/** Parses a line as a table header; undefined if its columns do not identify users. */
function parseTableHeader(header: string): Table | undefined {
  const separator = ['\t', ';', '|', ','].find((one) => header.includes(one));
  if (separator === undefined || header.length > MAX_HEADER_LENGTH) return undefined;
  const titles = splitColumns(header, separator).map(toTitleKey);
  // "id; 1042; 1043" is a list.
  if (titles.some((title) => ENTRY_PATTERN.test(title))) return undefined;
  const columns = titles.map((title) => COLUMNS_BY_TITLE.get(title));
  const telling = columns.filter((column) => column !== undefined);
  const isEnough = telling.some((column) => column === 'id' || column === 'email' || column === 'name');
  const isPair = telling.includes('firstName') && telling.includes('lastName');
  return isEnough || isPair ? { separator, columns } : undefined;
}

/** Whether a word is the title of a column that identifies users. */
const isTitle = (text: string): boolean => COLUMNS_BY_TITLE.has(toTitleKey(text));

const toTitleKey = (title: string): string => trimPunctuation(foldText(title)).replaceAll(/[\s_-]/g, '');

/** Parses a line as a row of the table; undefined if the number of cells differs. */
function parseRecord(table: Table, line: string): Partial<Record<Column, string>> | undefined {
  const cells = splitColumns(line, table.separator);
  if (cells.length !== table.columns.length) return undefined;
  const record: Partial<Record<Column, string>> = {};
  for (const [at, column] of table.columns.entries()) if (column) record[column] ??= cells[at] ?? '';
  return record;
}

/** Separators of entries on a line outside a table. */
const SEPARATORS = ',;|\t';
/** Times of log lines; the fraction after their comma would look like an id. */
const TIMES = /\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?/g;
const CONNECTIVES = /\s(?:and|or|und|oder|et|och|og|&|\+)\s/i;
const LINE_ENDS = /\r\n?|\n/;
const BLANK = /\s/;

/** An entry of a line. */
interface Cell {
  text: string;
  /** Number of the field; cells separated only by commas share it, because "Last, First" may be one entry. */
  field: number;
}

/** Splits a text into lines and removes times. */
const splitLines = (text: string): string[] => text.replaceAll(TIMES, ' ').split(LINE_ENDS);

/** Splits any line into its non-empty cells; a quoted cell may contain commas. */
function splitCells(line: string): Cell[] {
  const cells: Cell[] = [];
  let field = 0;
  for (const { text, isQuoted, separator } of splitParts(line, SEPARATORS)) {
    const hasFieldOfItsOwn = isQuoted && text.includes(',');
    if (hasFieldOfItsOwn) field += 1;
    for (const piece of hasFieldOfItsOwn ? text.split(',') : [text]) addCells(cells, piece, field);
    if (hasFieldOfItsOwn || separator !== ',') field += 1;
  }
  return cells;
}

function addCells(cells: Cell[], text: string, field: number): void {
  if (text.trim() === '') return;
  for (const piece of text.split(CONNECTIVES))
    if (piece.trim() !== '') cells.push({ text: piece.trim(), field });
}

/** Splits a table line into its cells, including empty ones. */
const splitColumns = (line: string, separator: string): string[] =>
  Array.from(splitParts(line, separator), ({ text }) => text.trim());

interface LinePart {
  text: string;
  isQuoted: boolean;
  /** The separator that follows; undefined at the end of the line. */
  separator: string | undefined;
}

function* splitParts(line: string, separators: string): Generator<LinePart> {
  let start = 0;
  while (start <= line.length) {
    const quoted = parseQuotedPart(line, start, separators);
    const end = quoted?.end ?? findSeparator(line, start, separators);
    yield {
      text: quoted?.text ?? line.slice(start, end),
      isQuoted: quoted !== undefined,
      separator: line[end],
    };
    start = end + 1;
  }
}

function findSeparator(line: string, start: number, separators: string): number {
  let end = start;
  while (end < line.length && !separators.includes(line[end] ?? '')) end += 1;
  return end;
}

/** Parses a quoted part as spreadsheets write it, with doubled quotes; undefined if the quotes are unbalanced. */
function parseQuotedPart(line: string, start: number, separators: string) {
  let at = start;
  while (line[at] === ' ') at += 1;
  if (line[at] !== '"') return undefined;
  let text = '';
  for (;;) {
    const close = line.indexOf('"', at + 1);
    if (close < 0) return undefined;
    text += line.slice(at + 1, close);
    at = close + 1;
    if (line[at] !== '"') break;
    text += '"';
  }
  while (at < line.length && BLANK.test(line[at] ?? '') && !separators.includes(line[at] ?? '')) at += 1;
  return at === line.length || separators.includes(line[at] ?? '') ? { text, end: at } : undefined;
}
