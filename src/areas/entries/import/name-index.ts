import { formatChoice } from '../../../../contract/rules/tables/entry-columns.ts';
import { quoteExcerpt } from '../../../files/table/cell-values.ts';
import type { ParseResult } from '../../../files/table/cell-values.ts';
import type { Field } from '../model/schema.ts';

/** Item that a cell can name: an entry, a user, a choice. */
export interface NamedItem {
  /** For an entry created by a row of the file: the negative row number. */
  id: number;
  name: string;
  /** Second name: the e-mail of a user, the key of a row. */
  alias?: string;
}

/** Items by id and by normalized name. */
export interface NameIndex {
  byId: Map<number, NamedItem>;
  byName: Map<string, NamedItem[]>;
}

export const normalizeName = (name: string): string => name.trim().toLowerCase();

/** Adds items; further names of known items are added as well. */
export function addItems(nameIndex: NameIndex, things: readonly NamedItem[]): void {
  for (const thing of things) {
    if (!nameIndex.byId.has(thing.id)) nameIndex.byId.set(thing.id, thing);
    for (const name of thing.alias === undefined ? [thing.name] : [thing.name, thing.alias]) {
      const same = nameIndex.byName.get(normalizeName(name));
      if (!same) nameIndex.byName.set(normalizeName(name), [thing]);
      else if (!same.some(({ id }) => id === thing.id)) same.push(thing);
    }
  }
}

export const copyNameIndex = ({ byId, byName }: NameIndex): NameIndex => ({
  byId: new Map(byId),
  byName: new Map([...byName].map(([name, things]) => [name, [...things]])),
});

export function createNameIndex(things: readonly NamedItem[]): NameIndex {
  const nameIndex: NameIndex = { byId: new Map(), byName: new Map() };
  addItems(nameIndex, things);
  return nameIndex;
}

const MAX_LISTED = 5;
const isRow = (id: number): boolean => id < 0;
/** Describes an item for messages: entries not created yet by their row. */
const formatLocation = (id: number): string => (isRow(id) ? `row ${-id}` : `entry ${id}`);
const ID_TEXT = /^#?(\d{1,10})$/;
const MARKED_ID_TEXT = /^#\d{1,10}$/;

/** Id in a text; `isKnown` tells whether such an item exists. */
interface FoundItem {
  id: number;
  isKnown: boolean;
}

/**
 * Finds the item a text means: `#12` the item with this id, otherwise the item with this name, otherwise the item with
 * this number.
 */
export function findByText(text: string, nameIndex: NameIndex, what: string): ParseResult<FoundItem> {
  const trimmed = text.trim();
  const number = Number(ID_TEXT.exec(trimmed)?.[1]);
  if (MARKED_ID_TEXT.test(trimmed)) return { value: { id: number, isKnown: nameIndex.byId.has(number) } };
  const namesakes = nameIndex.byName.get(normalizeName(trimmed)) ?? [];
  const exact = namesakes.filter(({ name, alias }) => name.trim() === trimmed || alias === trimmed);
  const [one, another] = exact.length === 1 ? exact : namesakes;
  // A row may be named by its key, and a key may be a number.
  const isNumberOfOther =
    one && one.name.trim() !== trimmed && one.id !== number && nameIndex.byId.has(number);
  if (isNumberOfOther)
    return {
      error: `${quoteExcerpt(trimmed)} is ${formatLocation(one.id)} and the id of another ${what}. Use #${number} for the id`,
    };
  if (one && !another) return { value: { id: one.id, isKnown: true } };
  if (one) {
    const ids = namesakes.slice(0, MAX_LISTED).map(({ id }) => (isRow(id) ? formatLocation(id) : id));
    const more = namesakes.length > MAX_LISTED ? ' and more' : '';
    return { error: `Several are named ${quoteExcerpt(trimmed)}: ${ids.join(', ')}${more}. Use the id` };
  }
  if (nameIndex.byId.has(number)) return { value: { id: number, isKnown: true } };
  return { error: `There is no ${what} ${quoteExcerpt(trimmed)}` };
}

/** Parses a whole number as an id. */
export function parseId(text: string, what: string): ParseResult<number> {
  const value = Number(ID_TEXT.exec(text.trim())?.[1]);
  return value >= 1 && value <= 0x7fffffff
    ? { value }
    : { error: `${quoteExcerpt(text)} is not an id of ${what}` };
}

/** Index of the choices of a field. */
export const createChoiceIndex = (field: Field): NameIndex =>
  createNameIndex((field.choiceValues ?? []).map(({ id, name }) => ({ id, name })));

/** Name of an item as written by exports. */
export const formatItemName = (nameIndex: NameIndex, id: number, field?: Field): string => {
  const thing = nameIndex.byId.get(id);
  if (!thing) return `#${id}`;
  if (isRow(id)) return `${thing.name} (row ${-id})`;
  return field ? formatChoice(field, thing) : thing.name || `#${id}`;
};
