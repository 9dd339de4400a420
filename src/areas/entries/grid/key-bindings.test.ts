import { readFileSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { moveCell } from '../../../ui/cell-navigation.ts';
import { EDITOR_KEYS, getCommitMove } from '../editing/editor/editor-props.ts';
import { KEY_BINDINGS, getAction, toChord } from './key-bindings.ts';

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
const findChords = (matches: (press: (typeof presses)[number]) => boolean) =>
  presses.filter(matches).map(toChord).toSorted();

it('handles exactly the keys of the list of shortcuts', () => {
  const listed = KEY_BINDINGS.filter(({ action }) => action !== undefined).flatMap(({ chords }) => chords);
  expect(findChords((press) => getAction(press) !== undefined)).toEqual(listed.toSorted());
  expect(KEY_BINDINGS.filter(({ keys, label }) => keys === '' || label === '')).toEqual([]);
  expect(getAction({ key: 'Z', ctrlKey: false, metaKey: true, altKey: false, shiftKey: true })).toBe('redo');
});

it('moves the focus by all keys that move or extend the selection', () => {
  const bounds = { rows: 9, columns: 9, pageRows: 3 };
  const leads = findChords((press) => /^(move|extend)$/.test(getAction(press) ?? ''));
  const moving = new Set(findChords((press) => moveCell(press, { row: 5, column: 5 }, bounds) !== undefined));
  expect(leads.filter((chord) => !moving.has(chord))).toEqual([]);
});

it('compares keys in one place, so that none is handled without being listed', () => {
  const folder = import.meta.dirname;
  const offenders = readdirSync(folder)
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\./.test(name))
    .filter((name) =>
      /(key|code) ?===? ?'|case '(Arrow|F\d)/i.test(readFileSync(`${folder}/${name}`, 'utf8')),
    );
  expect(offenders).toEqual([]);
});

it('lists the keys that leave a cell', () => {
  const listed = EDITOR_KEYS.map(({ keys }) => keys);
  const leading = presses.filter((press) => !press.ctrlKey && !press.altKey && getCommitMove(press));
  expect(leading.length).toBe(4);
  for (const { shiftKey, key } of leading) expect(listed).toContain(`${shiftKey ? 'Shift+' : ''}${key}`);
});
