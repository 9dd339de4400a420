import { quoted } from '../../import/read.ts';
import type { Read } from '../../import/read.ts';
import { choiceText } from '../export/cells.ts';
import type { Field } from '../schema.ts';

/** Something that can be named: an entry, a user, a choice. */
export interface Named {
  id: number;
  name: string;
  /** What it is called by as well: the address of a user. */
  also?: string;
}

/** Things by their ids and by what they are called, in any case. */
export interface Book {
  byId: Map<number, Named>;
  byName: Map<string, Named[]>;
}

export const keyOf = (name: string): string => name.trim().toLowerCase();

export function addTo(book: Book, things: readonly Named[]): void {
  for (const thing of things) {
    if (book.byId.has(thing.id)) continue;
    book.byId.set(thing.id, thing);
    for (const name of thing.also === undefined ? [thing.name] : [thing.name, thing.also]) {
      const same = book.byName.get(keyOf(name));
      if (same) same.push(thing);
      else book.byName.set(keyOf(name), [thing]);
    }
  }
}

export function bookOf(things: readonly Named[]): Book {
  const book: Book = { byId: new Map(), byName: new Map() };
  addTo(book, things);
  return book;
}

const MOST_TOLD = 5;
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
  if (one && !another) return { value: { id: one.id, isKnown: true } };
  if (one) {
    const ids = called.slice(0, MOST_TOLD).map(({ id }) => id);
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
  return field ? choiceText(field, thing) : thing.name || `#${id}`;
};
