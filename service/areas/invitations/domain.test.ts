import { expect, test } from 'vitest';
import { isInDomain, normalizeDomain } from './domain.ts';

test.each([
  'a@northlight.example',
  'A.B@NorthLight.EXAMPLE',
  'a@northlight.example.',
  'a@ｎorthlight。example',
  'a@north\u00ADlight.example',
  '"a@evil.test"@northlight.example',
])('%s is in the dedicated domain', (email) => {
  expect(isInDomain(email, 'northlight.example')).toBe(true);
  expect(isInDomain(email, ' Northlight.Example. ')).toBe(true);
});

test.each([
  // Same ending, same beginning, subdomain or parent domain.
  'a@evilnorthlight.example',
  'a@evil.northlight.example',
  'a@northlight.example.evil.test',
  'a@northlight.examples',
  'a@example',
  'a@.northlight.example',
  'a@northlight.example..',
  'a@northlight..example',
  // Characters that URL parsing would cut off, decode or join.
  'a@northlight.example/evil.test',
  'a@northlight.example\\evil.test',
  'a@northlight.example?evil.test',
  'a@northlight.example#evil.test',
  'a@northlight.example:25',
  'a@north%6Cight.example',
  'a@north\tlight.example',
  'a@north\nlight.example',
  'a@northlight.example\u0000.evil.test',
  // The part after the last @ counts.
  'a@northlight.example@evil.test',
  '"a@northlight.example"@evil.test',
  'northlight.example@evil.test',
  // Look-alike characters.
  'a@nоrthlight.example',
  'a@northlіght.example',
  'a@xn--nrthlight-1lf.example',
  'a@',
  '',
])('%j is not in the dedicated domain', (email) => {
  expect(isInDomain(email, 'northlight.example')).toBe(false);
});

test('an internationalized domain equals its ASCII spelling', () => {
  expect(isInDomain('a@Bücher.example', 'xn--bcher-kva.example')).toBe(true);
  expect(isInDomain('a@xn--bcher-kva.example', 'bücher.example')).toBe(true);
  expect(isInDomain('a@bucher.example', 'bücher.example')).toBe(false);
});

test('no address is in a missing or invalid dedicated domain', () => {
  for (const dedicated of [null, '', '.', 'localhost', '127.0.0.1', 'a b.example', '*.example'])
    for (const email of ['a@northlight.example', 'a@', '', `a@${dedicated}`])
      expect(isInDomain(email, dedicated)).toBe(false);
});

test.each([
  ['Northlight.Example', 'northlight.example'],
  ['bücher.example.', 'xn--bcher-kva.example'],
  ['https://northlight.example', undefined],
  ['@northlight.example', undefined],
  ['127.1', undefined],
  ['-a.example', undefined],
])('%s is normalized to %s', (text, expected) => {
  expect(normalizeDomain(text)).toBe(expected);
});
