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
  saveIdentitySignIn(underWay);
  expect(takeIdentitySignIn()).toEqual(underWay);
  expect(takeIdentitySignIn()).toBeUndefined();
});

it('ignores invalid content', () => {
  stored.set('steward-sign-in', '{"state":1}');
  expect(takeIdentitySignIn()).toBeUndefined();
});
