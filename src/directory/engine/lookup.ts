import type { Lookup } from '../paste.ts';
import { nameKey } from '../paste/words.ts';
import type { People } from './people.ts';

/** Looks up ids, names and addresses for a pasted text. */
export function lookupIn(people: People): Lookup {
  const { foldedEmail, foldedName, ids } = people;
  let firstWords: Set<string> | undefined;
  const readFirstWords = () => {
    const words = new Set<string>();
    for (const slot of people.slots()) words.add(nameKey(foldedName.get(slot)).split(' ', 1)[0] ?? '');
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
      for (const slot of people.slots()) {
        note(foldedEmail.get(slot), slot);
        note(nameKey(foldedName.get(slot)), slot);
      }
      return found;
    },
  };
}
