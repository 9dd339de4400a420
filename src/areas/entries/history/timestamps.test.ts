import { expect, test } from 'vitest';
import type { EntryChange } from '../../../../contract/generated/types.gen.ts';
import { toggleChange } from './timestamps.ts';

const change = (at: string, kind: EntryChange['kind'] = 'changed') =>
  ({ at, kind, fields: [] }) as EntryChange;
const newest = change('2026-03-02T08:00:00.000Z');
const older = change('2026-03-01T08:00:00.000Z');

test('compares the newest change with the state before it', () => {
  const selected = toggleChange([], newest, true);
  expect(selected).toEqual(['2026-03-02T07:59:59.999Z', newest.at]);
  expect(toggleChange(selected, newest, true)).toEqual([]);
});

test('compares an older change with today, and two changes with each other', () => {
  expect(toggleChange([], older, false)).toEqual([older.at]);
  expect(toggleChange([older.at], newest, true)).toEqual([older.at, newest.at]);
  expect(toggleChange([older.at], older, false)).toEqual([]);
});

test('compares a deletion with the state before it', () => {
  expect(toggleChange([], change(newest.at, 'deleted'), true)).toEqual(['2026-03-02T07:59:59.999Z']);
});
