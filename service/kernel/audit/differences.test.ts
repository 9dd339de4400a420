import { expect, test } from 'vitest';
import { differences } from './differences.ts';

test('only what differs is said, as before and after', () => {
  const before = { name: 'A', note: null, rights: ['x'], count: 0 };
  expect(differences(before, { ...before, rights: ['x', 'y'], count: 1 })).toEqual({
    rights: [['x'], ['x', 'y']],
    count: [0, 1],
  });
  expect(differences(before, structuredClone(before))).toEqual({});
});

test('what is new was null, what is gone is null', () => {
  expect(differences(undefined, { name: 'A', note: null })).toEqual({ name: [null, 'A'] });
  expect(differences({ name: 'A', note: null }, undefined)).toEqual({ name: ['A', null] });
});
