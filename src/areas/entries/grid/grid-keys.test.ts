import { readFileSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CELL_KEYS, onwardOf } from '../editing/cell-keys.ts';
import { GRID_KEYS, actOf, chordOf } from './grid-keys.ts';
import { movedBy } from './keys.ts';

const KEYS = [
  'ArrowUp ArrowDown ArrowLeft ArrowRight PageUp PageDown Home End',
  'Enter Tab Escape F2 F10 Delete Backspace a c v y z',
].flatMap((keys) => keys.split(' '));
const flags = [false, true];
const presses = [...KEYS, ' '].flatMap((key) =>
  flags.flatMap((ctrlKey) =>
    flags.flatMap((altKey) => flags.map((shiftKey) => ({ key, ctrlKey, altKey, shiftKey, metaKey: false }))),
  ),
);
const chordsThat = (hold: (press: (typeof presses)[number]) => boolean) =>
  presses.filter(hold).map(chordOf).toSorted();

it('knows the keys that the cheat sheet tells of, and no others', () => {
  const told = GRID_KEYS.filter(({ act }) => act !== undefined).flatMap(({ chords }) => chords);
  expect(chordsThat((press) => actOf(press) !== undefined)).toEqual(told.toSorted());
  expect(GRID_KEYS.filter(({ keys, label }) => keys === '' || label === '')).toEqual([]);
  expect(actOf({ key: 'Z', ctrlKey: false, metaKey: true, altKey: false, shiftKey: true })).toBe('redo');
});

it('moves by the keys that are told to move or to select', () => {
  const bounds = { rows: 9, columns: 9, page: 3 };
  const leads = chordsThat((press) => /^(move|extend)$/.test(actOf(press) ?? ''));
  const moving = new Set(chordsThat((press) => movedBy(press, { row: 5, column: 5 }, bounds) !== undefined));
  expect(leads.filter((chord) => !moving.has(chord))).toEqual([]);
});

it('asks for keys in one place, so that none can be added beside the list', () => {
  const folder = import.meta.dirname;
  const asking = readdirSync(folder)
    .filter((name) => /\.tsx?$/.test(name) && !/^keys\.ts$|\.test\./.test(name))
    .filter((name) =>
      /(key|code) ?===? ?'|case '(Arrow|F\d)/i.test(readFileSync(`${folder}/${name}`, 'utf8')),
    );
  expect(asking).toEqual([]);
});

it('tells of the keys that lead on from a cell', () => {
  const told = CELL_KEYS.map(({ keys }) => keys);
  const leading = presses.filter((press) => !press.ctrlKey && !press.altKey && onwardOf(press));
  expect(leading.length).toBe(4);
  for (const { shiftKey, key } of leading) expect(told).toContain(`${shiftKey ? 'Shift+' : ''}${key}`);
});
