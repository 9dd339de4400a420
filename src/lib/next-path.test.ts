import { assert, oneof, property, string, webUrl } from 'fast-check';
import { expect, it } from 'vitest';
import { nextPath } from './next-path.ts';

const origin = 'https://console.example';

it.each([
  ['/users?status=active#top', '/users?status=active#top'],
  ['https://evil.example/users', '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/x/..//evil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['/sign-in?next=%2Fusers', '/'],
  [undefined, '/'],
])('%s leads to %s', (value, path) => {
  expect(nextPath(value, origin)).toBe(path);
});

it('never leaves this origin', () => {
  assert(
    property(
      oneof(
        string(),
        webUrl(),
        string().map((s) => `/${s}`),
      ),
      (value) => {
        expect(new URL(nextPath(value, origin), origin).origin).toBe(origin);
      },
    ),
  );
});
