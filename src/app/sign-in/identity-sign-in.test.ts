import { beforeEach, expect, it, vi } from 'vitest';
import { saveIdentitySignIn, takeIdentitySignIn } from './identity-sign-in.ts';

const stored = new Map<string, string>();
beforeEach(() => {
  stored.clear();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
});

it('returns a saved sign-in once', () => {
  const underWay = { state: 's', secret: 'x', next: '/users', site: 'northwind' };
  expect(saveIdentitySignIn(underWay)).toBe(true);
  expect(takeIdentitySignIn()).toEqual(underWay);
  expect(takeIdentitySignIn()).toBeUndefined();
});

it('reports that the storage is full', () => {
  vi.stubGlobal('sessionStorage', {
    setItem() {
      throw new DOMException('Full', 'QuotaExceededError');
    },
  });
  expect(saveIdentitySignIn({ state: 's', secret: 'x', next: '/', site: 'northwind' })).toBe(false);
});

it('ignores invalid content', () => {
  stored.set('steward-sign-in', '{"state":1}');
  expect(takeIdentitySignIn()).toBeUndefined();
});
