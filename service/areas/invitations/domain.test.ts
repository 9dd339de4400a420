import { expect, test } from 'vitest';
import { isOfDomain, normaliseDomain } from './domain.ts';

test.each([
  'a@northlight.example',
  'A.B@NorthLight.EXAMPLE',
  'a@northlight.example.',
  'a@ｎorthlight。example',
  'a@north\u00ADlight.example',
  '"a@evil.test"@northlight.example',
])('%s is of the dedicated domain', (email) => {
  expect(isOfDomain(email, 'northlight.example')).toBe(true);
  expect(isOfDomain(email, ' Northlight.Example. ')).toBe(true);
});

test.each([
  // Ends alike, begins alike, lies below or above.
  'a@evilnorthlight.example',
  'a@evil.northlight.example',
  'a@northlight.example.evil.test',
  'a@northlight.examples',
  'a@example',
  'a@.northlight.example',
  'a@northlight.example..',
  'a@northlight..example',
  // What a reading as a URL would cut off, decode or join.
  'a@northlight.example/evil.test',
  'a@northlight.example\\evil.test',
  'a@northlight.example?evil.test',
  'a@northlight.example#evil.test',
  'a@northlight.example:25',
  'a@north%6Cight.example',
  'a@north\tlight.example',
  'a@north\nlight.example',
  'a@northlight.example\u0000.evil.test',
  // The part behind the last @ counts.
  'a@northlight.example@evil.test',
  '"a@northlight.example"@evil.test',
  'northlight.example@evil.test',
  // Letters that only look alike.
  'a@nоrthlight.example',
  'a@northlіght.example',
  'a@xn--nrthlight-1lf.example',
  'a@',
  '',
])('%j is not', (email) => {
  expect(isOfDomain(email, 'northlight.example')).toBe(false);
});

test('a domain in letters of its own equals its spelling in ASCII', () => {
  expect(isOfDomain('a@Bücher.example', 'xn--bcher-kva.example')).toBe(true);
  expect(isOfDomain('a@xn--bcher-kva.example', 'bücher.example')).toBe(true);
  expect(isOfDomain('a@bucher.example', 'bücher.example')).toBe(false);
});

test('without a dedicated domain, or with one that is none, nobody is of it', () => {
  for (const dedicated of [null, '', '.', 'localhost', '127.0.0.1', 'a b.example', '*.example'])
    for (const email of ['a@northlight.example', 'a@', '', `a@${dedicated}`])
      expect(isOfDomain(email, dedicated)).toBe(false);
});

test.each([
  ['Northlight.Example', 'northlight.example'],
  ['bücher.example.', 'xn--bcher-kva.example'],
  ['https://northlight.example', undefined],
  ['@northlight.example', undefined],
  ['127.1', undefined],
  ['-a.example', undefined],
])('%s is kept as %s', (given, kept) => {
  expect(normaliseDomain(given)).toBe(kept);
});
