import { expect, test } from 'vitest';
import { picked } from './moments.ts';
import { readPastView, writePastView } from './past-view.ts';

test('a view of the past survives its address, and nonsense in one is left out', () => {
  const said = { q: 'ha', sort: '-Name', asOf: '2026-03-01T08:00:00.000Z', only: 'changed', added: true };
  expect(writePastView(readPastView(said))).toEqual(said);
  expect(writePastView(readPastView({ asOf: 'soon', only: 'new', added: 1 }))).toEqual({});
});

test('of three moments the one that was picked first gives way, one picked again is let go', () => {
  expect(picked(['a'], 'b')).toEqual(['a', 'b']);
  expect(picked(['a', 'b'], 'c')).toEqual(['b', 'c']);
  expect(picked(['a', 'b'], 'a')).toEqual(['b']);
});
