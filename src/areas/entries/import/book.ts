import { quoted } from '../../../files/read.ts';
import type { Read } from '../../../files/read.ts';
import { choiceText } from '../export/cells.ts';
import type { Field } from '../model/schema.ts';

/** Something that can be named: an entry, a user, a choice. */
export interface Named {
  /** Of an entry that a row of the file makes: the number of the row, negative. */
  id: number;
  name: string;
  /** What it is called by as well: the address of a user, the key of a row. */
  also?: string;
}

/** Things by their ids and by what they are called, in any case. */
export interface Book {
  byId: Map<number, Named>;
  byName: Map<string, Named[]>;
}

export const keyOf = (name: string): string => name.trim().toLowerCase();

/** Adds things; what is there already is known by its new names as well. */
export function addTo(book: Book, things: readonly Named[]): void {
  for (const thing of things) {
    if (!book.byId.has(thing.id)) book.byId.set(thing.id, thing);
    for (const name of thing.also === undefined ? [thing.name] : [thing.name, thing.also]) {
      const same = book.byName.get(keyOf(name));
      if (!same) book.byName.set(keyOf(name), [thing]);
      else if (!same.some(({ id }) => id === thing.id)) same.push(thing);
    }
  }
}

export const copyOf = ({ byId, byName }: Book): Book => ({
  byId: new Map(byId),
  byName: new Map([...byName].map(([name, things]) => [name, [...things]])),
});

export function bookOf(things: readonly Named[]): Book {
  const book: Book = { byId: new Map(), byName: new Map() };
  addTo(book, things);
  return book;
}

const MOST_TOLD = 5;
const isRow = (id: number): boolean => id < 0;
/** Where something is that a cell names: entries that are not there yet are told by their rows. */
const whereIs = (id: number): string => (isRow(id) ? `row ${-id}` : `entry ${id}`);
const NUMBER = /^#?(\d{1,10})$/;
const MARKED = /^#\d{1,10}$/;

/** The id of a text; `isKnown` says whether there is such a thing. */
interface Found {
  id: number;
  isKnown: boolean;
}

/** What a text means: `#12` the one with this id, else the one that is called so, else the one with that number. */
export function findNamed(text: string, book: Book, what: string): Read<Found> {
  const said = text.trim();
  const number = Number(NUMBER.exec(said)?.[1]);
  if (MARKED.test(said)) return { value: { id: number, isKnown: book.byId.has(number) } };
  const called = book.byName.get(keyOf(said)) ?? [];
  const exact = called.filter(({ name, also }) => name.trim() === said || also === said);
  const [one, another] = exact.length === 1 ? exact : called;
  // A row of the file may be called by its key, and a key may be a number.
  const isNumberOfOther = one && one.name.trim() !== said && one.id !== number && book.byId.has(number);
  if (isNumberOfOther)
    return {
      fault: `${quoted(said)} is ${whereIs(one.id)} and the id of another ${what}. Write #${number} for the id`,
    };
  if (one && !another) return { value: { id: one.id, isKnown: true } };
  if (one) {
    const ids = called.slice(0, MOST_TOLD).map(({ id }) => (isRow(id) ? whereIs(id) : id));
    const more = called.length > MOST_TOLD ? ' and more' : '';
    return { fault: `Several are called ${quoted(said)}: ${ids.join(', ')}${more}. Name the id` };
  }
  if (book.byId.has(number)) return { value: { id: number, isKnown: true } };
  return { fault: `There is no ${what} ${quoted(said)}` };
}

/** A whole number as an id. */
export function readIdNumber(text: string, what: string): Read<number> {
  const value = Number(NUMBER.exec(text.trim())?.[1]);
  return value >= 1 && value <= 0x7fffffff ? { value } : { fault: `${quoted(text)} is no id of ${what}` };
}

/** The choices of a field as a book; texts that exports write find them again. */
export const choicesOf = (field: Field): Book =>
  bookOf((field.choiceValues ?? []).map(({ id, name }) => ({ id, name })));

/** What something is called in an export. */
export const calledIn = (book: Book, id: number, field?: Field): string => {
  const thing = book.byId.get(id);
  if (!thing) return `#${id}`;
  if (isRow(id)) return `${thing.name} (row ${-id})`;
  return field ? choiceText(field, thing) : thing.name || `#${id}`;
};
