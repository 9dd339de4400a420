import { beforeEach, expect, it, vi } from 'vitest';
import { keepUnderWay, takeUnderWay } from './under-way.ts';

const kept = new Map<string, string>();
beforeEach(() => {
  kept.clear();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
});

it('is taken once', () => {
  const underWay = { state: 's', secret: 'x', next: '/users', site: 'northwind' };
  keepUnderWay(underWay);
  expect(takeUnderWay()).toEqual(underWay);
  expect(takeUnderWay()).toBeUndefined();
});

it('is nothing where something else stands', () => {
  kept.set('steward-sign-in', '{"state":1}');
  expect(takeUnderWay()).toBeUndefined();
});
