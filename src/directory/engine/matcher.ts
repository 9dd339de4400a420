import { licenseTypes } from '../../../contract/rules/licenses.ts';
import { fold } from '../../lib/fold.ts';
import { parseQuery } from '../query.ts';
import type { ParsedQuery, Part } from '../query.ts';
import { licenseOf } from './people.ts';
import type { People } from './people.ts';

const NUMBER = /^\d+$/;
const NO_WORD = /[^\p{L}\p{N}]+/u;
/** Shorter words stand in too many names of groups. */
const SHORTEST_WORD = 3;
/** Below this share of everybody, looking at who was found before costs less than looking at all. */
const FEW = 1 / 8;

/** The name of a group or license as a search compares it. */
interface Named {
  name: string;
  words: readonly string[];
}
const named = (name: string): Named => ({ name: fold(name), words: fold(name).split(NO_WORD) });
const LICENSES = new Map(
  licenseTypes.map(({ licenseTypeId, description }) => [licenseTypeId, named(description)]),
);

const isMeant = ({ name, words }: Named, { mode, text, isWhole }: Part): boolean => {
  if (isWhole) return mode !== 'any' && name === text;
  return mode === 'any' ? text.length >= SHORTEST_WORD && words.includes(text) : name.includes(text);
};

interface Answer {
  typed: string;
  version: number;
  slots: Int32Array<ArrayBuffer>;
  /** The words that were searched, where there was nothing else. */
  words: readonly string[] | undefined;
}

/** Who matches what was typed. It keeps its last answer, for a search that only goes on needs none of the others. */
export class Matcher {
  readonly #people: People;
  readonly #groups = new Map<number, Named>();
  #answer: Answer | undefined;

  constructor(people: People) {
    this.#people = people;
  }

  setGroups(groups: readonly { id: number; name: string }[]): void {
    this.#groups.clear();
    for (const { id, name } of groups) this.#groups.set(id, named(name));
    this.#answer = undefined;
  }

  /** The slots of all who match, ascending; `version` tells whether people are as they were. */
  find(typed: string, version: number): Int32Array<ArrayBuffer> {
    const before = this.#answer?.version === version ? this.#answer : undefined;
    if (before?.typed === typed) return before.slots;
    const query = parseQuery(typed);
    const words = wordsOf(query);
    const slots = (before && words && this.#narrow(before, words)) ?? this.#findAll(query);
    this.#answer = { typed, version, slots, words };
    return slots;
  }

  #findAll(query: ParsedQuery): Int32Array<ArrayBuffer> {
    const { terms, ids, texts } = query;
    if (terms.length === 0 && ids.size === 0 && texts.size === 0) return this.#people.slots();
    const marks = new Uint8Array(this.#people.top);
    for (const id of ids) this.#markId(id, marks);
    if (texts.size > 0) this.#markTexts(texts, marks);
    for (const term of terms) {
      const [first, ...others] = term.map((part) => this.#marksOf(part));
      if (!first) continue;
      for (const other of others) keepCommon(first, other);
      for (let slot = 0; slot < first.length; slot += 1) if (first[slot] === 1) marks[slot] = 1;
    }
    return this.#people.slots((slot) => marks[slot] === 1);
  }

  /** Searches among those found before, where nobody else can match. */
  #narrow(
    { slots, words: known = [] }: Answer,
    words: readonly string[],
  ): Int32Array<ArrayBuffer> | undefined {
    if (known.length === 0 || slots.length > this.#people.size * FEW) return undefined;
    const fresh = words.filter((word) => !known.includes(word));
    const goesOn = (word: string) => words.includes(word) || fresh.some((longer) => longer.includes(word));
    if (!known.every(goesOn) || fresh.some((word) => this.#isMore(word))) return undefined;
    const { foldedName, foldedEmail } = this.#people;
    return slots.filter((slot) => {
      const name = foldedName.get(slot);
      const email = foldedEmail.get(slot);
      return fresh.every((word) => name.includes(word) || email.includes(word));
    });
  }

  /** Whether a word may find people for something else than their name and address. */
  #isMore(text: string): boolean {
    const part: Part = { mode: 'any', text, isWhole: false };
    const isNamed = (one: Named) => isMeant(one, part);
    return NUMBER.test(text) || this.#groups.values().some(isNamed) || LICENSES.values().some(isNamed);
  }

  #marksOf(part: Part): Uint8Array<ArrayBuffer> {
    const marks = new Uint8Array(this.#people.top);
    const { mode, text, isWhole } = part;
    if (mode === 'id' || (mode === 'any' && !isWhole))
      this.#markId(NUMBER.test(text) ? Number(text) : NaN, marks);
    const columns = {
      any: [this.#people.foldedName, this.#people.foldedEmail],
      email: [this.#people.foldedEmail],
      id: [],
      group: [],
      license: [],
    }[mode];
    for (const column of columns) {
      if (isWhole) column.markWhole(text, marks);
      else column.mark(text, marks);
    }
    if (mode === 'any' || mode === 'group') this.#markGroups(part, marks);
    if (mode === 'any' || mode === 'license') this.#markLicenses(part, marks);
    return marks;
  }

  #markId(id: number, marks: Uint8Array): void {
    const slot = this.#people.slotOf(id);
    if (slot !== undefined) marks[slot] = 1;
  }

  #markTexts(texts: ReadonlySet<string>, marks: Uint8Array): void {
    const { foldedName, foldedEmail, top } = this.#people;
    for (let slot = 0; slot < top; slot += 1)
      if (texts.has(foldedEmail.get(slot)) || texts.has(foldedName.get(slot))) marks[slot] = 1;
  }

  #markGroups(part: Part, marks: Uint8Array): void {
    const { groups, top } = this.#people;
    const wanted = Uint8Array.from(groups.ids, (id) => {
      const group = this.#groups.get(id);
      return group && isMeant(group, part) ? 1 : 0;
    });
    if (!wanted.includes(1)) return;
    for (let slot = 0; slot < top; slot += 1) if (groups.isInAny(slot, wanted)) marks[slot] = 1;
  }

  #markLicenses(part: Part, marks: Uint8Array): void {
    const { traits, top } = this.#people;
    const wanted = new Set([...LICENSES].filter(([, license]) => isMeant(license, part)).map(([id]) => id));
    if (wanted.size === 0) return;
    for (let slot = 0; slot < top; slot += 1) if (wanted.has(licenseOf(traits[slot] ?? 0))) marks[slot] = 1;
  }
}

/** The words of a query that is made of nothing else. */
function wordsOf({ terms: [term, ...others], ids, texts }: ParsedQuery): string[] | undefined {
  if (!term || others.length > 0 || ids.size > 0 || texts.size > 0) return undefined;
  return term.every(({ mode, isWhole }) => mode === 'any' && !isWhole)
    ? term.map(({ text }) => text)
    : undefined;
}

function keepCommon(marks: Uint8Array, others: Uint8Array): void {
  for (let slot = 0; slot < marks.length; slot += 1) if (others[slot] === 0) marks[slot] = 0;
}
