import { foldText } from '../../../contract/rules/fold-text.ts';
import { licenseTypes } from '../../../contract/rules/people/licenses.ts';
import { getLicense } from './people.ts';
import type { People } from './people.ts';
import { parseSearchText } from './search-text.ts';
import type { ParsedQuery, QueryPart } from './search-text.ts';

const NUMBER = /^\d+$/;
const WORD_SEPARATOR = /[^\p{L}\p{N}]+/u;
/** Minimum length of a word that matches group and license names; shorter ones match too many. */
const MIN_WORD_LENGTH = 3;
/** Up to this share of all users, filtering the previous result is cheaper than a full search. */
const MAX_NARROWING_SHARE = 1 / 8;

/** Folded name of a group or license with its words. */
interface SearchName {
  name: string;
  words: readonly string[];
}
const toSearchName = (name: string): SearchName => ({
  name: foldText(name),
  words: foldText(name).split(WORD_SEPARATOR),
});
const LICENSES = new Map(
  licenseTypes.map(({ licenseTypeId, description }) => [licenseTypeId, toSearchName(description)]),
);

const matchesPart = ({ name, words }: SearchName, { mode, text, isWhole }: QueryPart): boolean => {
  if (isWhole) return mode !== 'any' && name === text;
  return mode === 'any' ? text.length >= MIN_WORD_LENGTH && words.includes(text) : name.includes(text);
};

interface MatchAnswer {
  typed: string;
  version: number;
  slots: Int32Array<ArrayBuffer>;
  /** Words of the query; undefined if it has other conditions. */
  words: readonly string[] | undefined;
}

/** Finds the users that match a typed query. Keeps the last answer, because an extended query only narrows it. */
export class Matcher {
  readonly #people: People;
  readonly #groups = new Map<number, SearchName>();
  #answer: MatchAnswer | undefined;

  constructor(people: People) {
    this.#people = people;
  }

  setGroups(groups: readonly { id: number; name: string }[]): void {
    this.#groups.clear();
    for (const { id, name } of groups) this.#groups.set(id, toSearchName(name));
    this.#answer = undefined;
  }

  /** Returns the slots of all matches in ascending order; `version` invalidates the last answer. */
  find(typed: string, version: number): Int32Array<ArrayBuffer> {
    const previous = this.#answer?.version === version ? this.#answer : undefined;
    if (previous?.typed === typed) return previous.slots;
    const query = parseSearchText(typed);
    const words = getPlainWords(query);
    const slots = (previous && words && this.#narrow(previous, words)) ?? this.#findAll(query);
    this.#answer = { typed, version, slots, words };
    return slots;
  }

  #findAll(query: ParsedQuery): Int32Array<ArrayBuffer> {
    const { terms, ids, texts } = query;
    if (terms.length === 0 && ids.size === 0 && texts.size === 0) return this.#people.slots();
    const marks = new Uint8Array(this.#people.slotCount);
    for (const id of ids) this.#markId(id, marks);
    if (texts.size > 0) this.#markTexts(texts, marks);
    for (const term of terms) {
      const [first, ...others] = term.map((part) => this.#markPart(part));
      if (!first) continue;
      for (const other of others) intersectMarks(first, other);
      for (let slot = 0; slot < first.length; slot += 1) if (first[slot] === 1) marks[slot] = 1;
    }
    return this.#people.slots((slot) => marks[slot] === 1);
  }

  /** Narrows the previous answer; undefined if other users could match too. */
  #narrow(
    { slots, words: previousWords = [] }: MatchAnswer,
    words: readonly string[],
  ): Int32Array<ArrayBuffer> | undefined {
    if (previousWords.length === 0 || slots.length > this.#people.size * MAX_NARROWING_SHARE)
      return undefined;
    const addedWords = words.filter((word) => !previousWords.includes(word));
    const isExtended = (word: string) =>
      words.includes(word) || addedWords.some((longer) => longer.includes(word));
    if (!previousWords.every(isExtended) || addedWords.some((word) => this.#matchesOtherProperty(word)))
      return undefined;
    const { foldedName, foldedEmail } = this.#people;
    return slots.filter((slot) => {
      const name = foldedName.get(slot);
      const email = foldedEmail.get(slot);
      return addedWords.every((word) => name.includes(word) || email.includes(word));
    });
  }

  /** Whether a word can match an id, a group or a license besides names and addresses. */
  #matchesOtherProperty(text: string): boolean {
    const part: QueryPart = { mode: 'any', text, isWhole: false };
    const isNamed = (one: SearchName) => matchesPart(one, part);
    return NUMBER.test(text) || this.#groups.values().some(isNamed) || LICENSES.values().some(isNamed);
  }

  #markPart(part: QueryPart): Uint8Array<ArrayBuffer> {
    const marks = new Uint8Array(this.#people.slotCount);
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
    const slot = this.#people.getSlot(id);
    if (slot !== undefined) marks[slot] = 1;
  }

  #markTexts(texts: ReadonlySet<string>, marks: Uint8Array): void {
    const { foldedName, foldedEmail, slotCount } = this.#people;
    for (let slot = 0; slot < slotCount; slot += 1)
      if (texts.has(foldedEmail.get(slot)) || texts.has(foldedName.get(slot))) marks[slot] = 1;
  }

  #markGroups(part: QueryPart, marks: Uint8Array): void {
    const { groups, slotCount } = this.#people;
    const matchesByGroup = Uint8Array.from(groups.ids, (id) => {
      const group = this.#groups.get(id);
      return group && matchesPart(group, part) ? 1 : 0;
    });
    if (!matchesByGroup.includes(1)) return;
    for (let slot = 0; slot < slotCount; slot += 1) if (groups.isInAny(slot, matchesByGroup)) marks[slot] = 1;
  }

  #markLicenses(part: QueryPart, marks: Uint8Array): void {
    const { traits, slotCount } = this.#people;
    const licenseIds = new Set(
      [...LICENSES].filter(([, license]) => matchesPart(license, part)).map(([id]) => id),
    );
    if (licenseIds.size === 0) return;
    for (let slot = 0; slot < slotCount; slot += 1)
      if (licenseIds.has(getLicense(traits[slot] ?? 0))) marks[slot] = 1;
  }
}

/** Returns the words of a query that consists only of plain words. */
function getPlainWords({ terms: [term, ...others], ids, texts }: ParsedQuery): string[] | undefined {
  if (!term || others.length > 0 || ids.size > 0 || texts.size > 0) return undefined;
  return term.every(({ mode, isWhole }) => mode === 'any' && !isWhole)
    ? term.map(({ text }) => text)
    : undefined;
}

function intersectMarks(marks: Uint8Array, others: Uint8Array): void {
  for (let slot = 0; slot < marks.length; slot += 1) if (others[slot] === 0) marks[slot] = 0;
}
