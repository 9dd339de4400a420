import { fold } from '../../lib/fold.ts';
import { columnsOf } from './cells.ts';
import { bare } from './words.ts';

/** What a column of a pasted table tells about the person of its row. */
export type Column = 'id' | 'email' | 'name' | 'firstName' | 'lastName';

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

export interface Table {
  separator: string;
  /** By place; undefined for columns that tell nobody. */
  columns: readonly (Column | undefined)[];
}

/** The table that begins with this line, where it is a header that says who is in the rows. */
export function tableFrom(header: string): Table | undefined {
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
export const isTitle = (text: string): boolean => TITLES[keyOf(text)] !== undefined;

const keyOf = (title: string): string => bare(fold(title)).replaceAll(/[\s_-]/g, '');

/** What a row of the table says, by column; undefined where the line is no row of it. */
export function recordOf(table: Table, line: string): Partial<Record<Column, string>> | undefined {
  const cells = columnsOf(line, table.separator);
  if (cells.length !== table.columns.length) return undefined;
  const record: Partial<Record<Column, string>> = {};
  for (const [at, column] of table.columns.entries()) if (column) record[column] ??= cells[at] ?? '';
  return record;
}
