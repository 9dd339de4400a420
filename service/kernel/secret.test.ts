import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { hashSecret, newSecret, Secret } from './secret.ts';

test('a secret prints as *** in every form, and reveals itself only when asked', () => {
  const secret = new Secret('canary-7f3a');
  const printed = [
    String(secret),
    'a'.concat(String(secret)).slice(1),
    JSON.stringify({ secret, list: [secret] }),
    inspect({ deep: { secret } }, { depth: 9, showHidden: true }),
    Object.entries(secret).join(','),
  ];
  for (const text of printed) expect(text).not.toContain('canary');
  expect(printed[0]).toBe('***');
  expect(secret.reveal()).toBe('canary-7f3a');
});

test('a new secret has 256 bits, is URL-safe, differs each time and is found again by its hash', () => {
  const one = newSecret();
  const two = newSecret();
  expect(one.plain).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(one.plain).not.toBe(two.plain);
  expect(one.hash).toHaveLength(32);
  expect(hashSecret(one.plain)).toEqual(one.hash);
});
