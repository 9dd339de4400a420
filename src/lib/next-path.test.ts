import { assert, oneof, property, string, webUrl } from 'fast-check';
import { expect, it } from 'vitest';
import { parseNextPath } from './next-path.ts';

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
])('parses %s as %s', (value, path) => {
  expect(parseNextPath(value, origin)).toBe(path);
});

it('never returns a path of another origin', () => {
  assert(
    property(
      oneof(
        string(),
        webUrl(),
        string().map((s) => `/${s}`),
      ),
      (value) => {
        expect(new URL(parseNextPath(value, origin), origin).origin).toBe(origin);
      },
    ),
  );
});
