import { fold } from '../../lib/fold.ts';
import type { Lookup } from '../paste.ts';
import { familyKey, givenKey, nameKey } from '../paste/words.ts';
import type { People } from './people.ts';

/** Looks up ids, names and addresses for a pasted text. */
export function lookupIn(people: People): Lookup {
  const { foldedEmail, foldedName, ids } = people;
  let firstWords: Set<string> | undefined;
  const readFirstWords = () => {
    const words = new Set<string>();
    for (const slot of people.slots()) words.add(firstWordOf(nameKey(foldedName.get(slot))));
    return words;
  };
  return {
    hasId: (id) => people.slotOf(id) !== undefined,
    begins(word) {
      firstWords ??= readFirstWords();
      return firstWords.has(word);
    },
    find(keys) {
      const found = new Map<string, number[]>();
      const note = (key: string, slot: number) => {
        if (!keys.has(key)) return;
        const known = found.get(key);
        if (known) known.push(ids[slot] ?? 0);
        else found.set(key, [ids[slot] ?? 0]);
      };
      const alone = wordsAlone(keys);
      for (const slot of people.slots()) {
        const name = nameKey(foldedName.get(slot));
        note(foldedEmail.get(slot), slot);
        note(name, slot);
        // Which part is the family name takes folding again: only for those who have the word at all.
        if (alone.size > 0 && name.split(' ').some((word) => alone.has(word)))
          for (const key of partsOf(people, slot)) note(key, slot);
      }
      return found;
    },
  };
}

const firstWordOf = (words: string): string => words.split(' ', 1)[0] ?? '';

/** The words with which names that stand alone begin. */
function wordsAlone(keys: ReadonlySet<string>): Set<string> {
  const words = new Set<string>();
  for (const key of keys) {
    const [, name] = key.split('\n');
    if (name !== undefined) words.add(firstWordOf(name));
  }
  return words;
}

/** Under what somebody is found by one of their names alone: the whole given name, its first word, the family name. */
function partsOf({ firstName, lastName }: People, slot: number): Set<string> {
  const given = nameKey(fold(firstName.get(slot)));
  const family = nameKey(fold(lastName.get(slot)));
  return new Set([givenKey(given), givenKey(firstWordOf(given)), familyKey(family)]);
}
