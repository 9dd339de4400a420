import { array, assert, nat, property } from 'fast-check';
import { expect, it } from 'vitest';
import { NO_CHANGES, redo, settled, stage, stagedIn, undo, unstage } from './changes.ts';
import type { Changes, StagedCell } from './changes.ts';

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

/** What somebody sees: what is staged over what is held; a text that does not fit as it was typed. */
const seen = (changes: Changes, held: Held): Held => {
  const shown = new Map(held);
  for (const { entryId, fieldId, value, misfit } of stagedIn(changes)) {
    const text = textOf({ value, misfit });
    if (text === '') shown.delete(keyOf(entryId, fieldId));
    else shown.set(keyOf(entryId, fieldId), text);
  }
  return shown;
};
const sorted = (held: Held) => [...held].toSorted(([a], [b]) => a.localeCompare(b));

/** Some cells as an editor stages them: what is there as the service holds it, and what was typed. */
function cellsOf(next: (most: number) => number, changes: Changes, held: Held): StagedCell[] {
  return Array.from({ length: 1 + next(3) }, () => {
    const [entryId, fieldId] = [1 + next(ENTRIES), 1 + next(FIELDS)];
    const before = held.get(keyOf(entryId, fieldId));
    const at = { entryId, fieldId, entryName: 'One', before };
    const value = VALUES[next(VALUES.length)] ?? '';
    if (next(5) > 0) return { ...at, value: value === '' ? undefined : value };
    const shown = changes.cells.get(entryId)?.get(fieldId);
    return { ...at, value: shown ? shown.value : before, misfit: { text: value, fault: 'Write a number' } };
  });
}

/** What a request stores: whatever fits. The service refuses what does not find what it was told to expect. */
function store(cells: readonly StagedCell[], held: Map<string, string>): void {
  for (const { entryId, fieldId, value, before } of cells) {
    expect(held.get(keyOf(entryId, fieldId))).toBe(before);
    if (value === undefined) held.delete(keyOf(entryId, fieldId));
    else held.set(keyOf(entryId, fieldId), textOf({ value }));
  }
}

const TURNS = 30;

it('whatever is staged, undone, done again and sent, in any order: what is seen is what was meant', () => {
  const run = (chosen: readonly number[]) => {
    const next = drawn(chosen);
    const held = new Map([[keyOf(1, 1), 'a']]);
    let changes = NO_CHANGES;
    let meant: Held = new Map(held);
    let behind: Held[] = [];
    let ahead: Held[] = [];
    const step = (after: Changes, means: Held) => {
      if (after !== changes) {
        behind.push(meant);
        ahead = [];
      }
      [changes, meant] = [after, means];
    };
    const stageSome = () => {
      const cells = cellsOf(next, changes, held);
      const means = new Map(meant);
      for (const { entryId, fieldId, value, misfit } of cells) {
        const text = textOf({ value, misfit });
        if (text === '') means.delete(keyOf(entryId, fieldId));
        else means.set(keyOf(entryId, fieldId), text);
      }
      step(stage(changes, cells, 'Stage'), means);
    };
    for (let turn = 0; turn < TURNS; turn += 1) {
      const act = next(10);
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
      } else {
        const going = stagedIn(changes).filter(({ misfit }) => !misfit);
        // Somebody goes on while the request is on its way.
        if (next(2) > 0) stageSome();
        store(going, held);
        changes = settled(changes, going);
        [behind, ahead] = [[], []];
      }
      expect(sorted(seen(changes, held))).toEqual(sorted(meant));
      for (const { entryId, fieldId, before, value, misfit } of stagedIn(changes)) {
        expect(held.get(keyOf(entryId, fieldId))).toBe(before);
        expect(misfit !== undefined || value !== before).toBe(true);
      }
    }
  };
  const choices = array(nat(59), { minLength: TURNS, maxLength: TURNS * 8 });
  assert(property(choices, run), { numRuns: 300 });
});
