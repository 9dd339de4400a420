import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { hashSecret, createSecret, Secret } from './secret.ts';

test('a secret prints as *** in every form; reveal() returns it', () => {
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

test('a new secret has 256 bits, is URL-safe, unique and matches its hash', () => {
  const first = createSecret();
  const second = createSecret();
  expect(first.plain).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(first.plain).not.toBe(second.plain);
  expect(first.hash).toHaveLength(32);
  expect(hashSecret(first.plain)).toEqual(first.hash);
});
