import { array, assert, nat, property } from 'fast-check';
import { expect, it } from 'vitest';
import {
  NO_CHANGES,
  countStaged,
  hasStaged,
  redo,
  settled,
  stage,
  stagedIn,
  undo,
  unstage,
} from './changes.ts';
import type { Changes, StagedCell } from './changes.ts';
import { discard, entriesGone, keepEntries, stageDeletions } from './deletions.ts';

/** What a service holds, and what a person means to be there: the whole of what staging is about. */
type Held = ReadonlyMap<string, string>;

/** Takes one number after the other, as the act or the cell needs it; none left is the first choice. */
function drawn(numbers: readonly number[]) {
  let at = 0;
  return (most: number): number => {
    at += 1;
    return (numbers[at - 1] ?? 0) % most;
  };
}

const ENTRIES = 3;
const FIELDS = 2;
const VALUES = ['', 'a', 'A', 'b'];
const keyOf = (entryId: number, fieldId: number) => `${entryId}/${fieldId}`;

const textOf = ({ value, misfit }: Pick<StagedCell, 'value' | 'misfit'>): string => {
  if (misfit) return `?${misfit.text}`;
  return typeof value === 'string' ? value : '';
};

const goes = (entryId: number) => `${entryId} goes`;

/**
 * What somebody sees: what is staged over what is held; a text that does not fit as it was typed. An entry that is to go
 * is marked so, and what is staged in it still stands there.
 */
const seen = (changes: Changes, held: Held): Held => {
  const shown = new Map(held);
  const all = [...changes.cells.values()].flatMap((entry) => [...entry.values()]);
  for (const { entryId, fieldId, value, misfit } of all) {
    const text = textOf({ value, misfit });
    if (text === '') shown.delete(keyOf(entryId, fieldId));
    else shown.set(keyOf(entryId, fieldId), text);
  }
  for (const entryId of changes.deletions.keys()) shown.set(goes(entryId), 'goes');
  return shown;
};
const sorted = (held: Held) => [...held].toSorted(([a], [b]) => a.localeCompare(b));

/** An entry; -1 is one that is to be made. */
const entryOf = (next: (most: number) => number): number => next(ENTRIES + 1) || -1;

/** Some cells as an editor stages them: what is there as the service holds it, and what was typed. */
function cellsOf(next: (most: number) => number, changes: Changes, held: Held): StagedCell[] {
  return Array.from({ length: 1 + next(3) }, () => {
    const [entryId, fieldId] = [entryOf(next), 1 + next(FIELDS)];
    const before = held.get(keyOf(entryId, fieldId));
    const at = { entryId, fieldId, entryName: 'One', before };
    const value = VALUES[next(VALUES.length)] ?? '';
    if (next(5) > 0) return { ...at, value: value === '' ? undefined : value };
    const shown = changes.cells.get(entryId)?.get(fieldId);
    return { ...at, value: shown ? shown.value : before, misfit: { text: value, fault: 'Write a number' } };
  });
}

/** What a request stores: whatever fits. The service refuses what does not find what it was told to expect. */
function store(cells: readonly StagedCell[], held: Map<string, string>, leaving: readonly number[]): void {
  for (const { entryId, fieldId, value, before } of cells) {
    // Nothing of what goes is written before.
    expect(leaving).not.toContain(entryId);
    expect(held.get(keyOf(entryId, fieldId))).toBe(before);
    if (value === undefined) held.delete(keyOf(entryId, fieldId));
    else held.set(keyOf(entryId, fieldId), textOf({ value }));
  }
}

const entriesOf = (next: (most: number) => number): number[] =>
  Array.from({ length: 1 + next(2) }, () => entryOf(next));

/** All that is known of an entry is of another one, or of none. */
function rename(held: Map<string, string>, from: number, to: number | undefined): void {
  const of = [...held].filter(([key]) => key === goes(from) || key.startsWith(`${from}/`));
  for (const [key, value] of of) {
    held.delete(key);
    if (to !== undefined) held.set(key.replace(`${from}/`, `${to}/`), value);
  }
}

const TURNS = 30;

it('whatever is staged, undone, done again and sent, in any order: what is seen is what was meant', () => {
  const run = (chosen: readonly number[]) => {
    const next = drawn(chosen);
    const held = new Map([[keyOf(1, 1), 'a']]);
    let changes = NO_CHANGES;
    let meant = new Map(held);
    let made = ENTRIES;
    let behind: Map<string, string>[] = [];
    let ahead: Map<string, string>[] = [];
    const step = (after: Changes, means: Map<string, string>) => {
      if (after !== changes) {
        behind.push(meant);
        ahead = [];
      }
      [changes, meant] = [after, means];
    };
    const away = new Set<number>();
    const stageSome = () => {
      // Of an entry that is gone no row is left to write into.
      const cells = cellsOf(next, changes, held).filter(({ entryId }) => !away.has(entryId));
      const means = new Map(meant);
      for (const { entryId, fieldId, value, misfit } of cells) {
        const text = textOf({ value, misfit });
        if (text === '') means.delete(keyOf(entryId, fieldId));
        else means.set(keyOf(entryId, fieldId), text);
      }
      step(stage(changes, cells, 'Stage'), means);
    };
    for (let turn = 0; turn < TURNS; turn += 1) {
      const act = next(13);
      if (act < 5) {
        stageSome();
      } else if (act === 5) {
        const out = stagedIn(changes).filter(() => next(2) === 0);
        const means = new Map(meant);
        for (const { entryId, fieldId } of out) {
          const there = held.get(keyOf(entryId, fieldId));
          if (there === undefined) means.delete(keyOf(entryId, fieldId));
          else means.set(keyOf(entryId, fieldId), there);
        }
        step(unstage(changes, out, 'Remove'), means);
      } else if (act < 8) {
        const back = behind.pop();
        if (back) ahead.push(meant);
        [changes, meant] = [undo(changes), back ?? meant];
      } else if (act === 8) {
        const again = ahead.pop();
        if (again) behind.push(meant);
        [changes, meant] = [redo(changes), again ?? meant];
      } else if (act === 9) {
        const out = entriesOf(next).filter((entryId) => !away.has(entryId));
        const means = new Map(meant);
        for (const entryId of out) {
          if (entryId > 0) means.set(goes(entryId), 'goes');
          else for (const key of meant.keys()) if (key.startsWith(`${entryId}/`)) means.delete(key);
        }
        const deletions = out.map((entryId) => ({
          entryId,
          entryName: 'One',
          seen: { EntryId: entryId },
          fieldIds: [],
        }));
        step(stageDeletions(changes, deletions, 'Delete'), means);
      } else if (act === 10) {
        const back = entriesOf(next);
        const means = new Map(meant);
        for (const entryId of back) means.delete(goes(entryId));
        step(keepEntries(changes, back, 'Keep'), means);
      } else if (act === 11) {
        step(discard(changes, 'Discard'), new Map(held));
      } else {
        const going = stagedIn(changes).filter(({ misfit }) => !misfit);
        const leaving = [...changes.deletions.keys()];
        // Somebody goes on while the request is on its way.
        if (next(2) > 0) stageSome();
        store(going, held, leaving);
        const isMade = going.some(({ entryId }) => entryId < 0);
        if (isMade) {
          made += 1;
          rename(held, -1, made);
          rename(meant, -1, made);
        }
        changes = settled(changes, going, new Map(isMade ? [[-1, made]] : []));
        // Of what was to go the service may leave some.
        const gone = leaving.filter(() => next(3) > 0);
        for (const entryId of gone) {
          away.add(entryId);
          rename(held, entryId, undefined);
          rename(meant, entryId, undefined);
        }
        changes = entriesGone(changes, gone);
        [behind, ahead] = [[], []];
      }
      const counts = countStaged(changes);
      expect(counts.cells).toBe(stagedIn(changes).length);
      expect(hasStaged(changes)).toBe(changes.cells.size + changes.deletions.size > 0);
      expect(sorted(seen(changes, held))).toEqual(sorted(meant));
      for (const { entryId, fieldId, before, value, misfit } of stagedIn(changes)) {
        expect(away.has(entryId)).toBe(false);
        expect(held.get(keyOf(entryId, fieldId))).toBe(before);
        expect(misfit !== undefined || value !== before).toBe(true);
      }
    }
  };
  const choices = array(nat(59), { minLength: TURNS, maxLength: TURNS * 8 });
  assert(property(choices, run), { numRuns: 300 });
});
