import { expect, test } from 'vitest';
import { formatLinkTarget, readDestination, readLink, readOutline, readPageLink } from './pdf-links.ts';

test('follows web and mail addresses and pages of the file, and nothing else', () => {
  expect(readLink({ url: 'https://example.com/a?b' })).toEqual({
    kind: 'external',
    url: 'https://example.com/a?b',
  });
  expect(readLink({ url: 'mailto:ada@example.com' })).toMatchObject({ kind: 'external' });
  expect(readLink({ dest: 'chapter' })).toEqual({ kind: 'internal', destination: 'chapter' });
  for (const url of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ftp://example.com',
    'data:text/html,x',
    '/a',
    '',
  ])
    expect(readLink({ url })).toBeUndefined();
  for (const raw of [
    null,
    undefined,
    'text',
    { dest: [] },
    { dest: 3 },
    { action: 'Print' },
    { unsafeUrl: 'https://a.b' },
  ])
    expect(readLink(raw)).toBeUndefined();
});

test('names the host that a link really leads to', () => {
  expect(formatLinkTarget('https://bank.example@evil.example/login')).toBe('evil.example');
  expect(formatLinkTarget('mailto:ada%40example.com')).toBe('ada@example.com');
  expect(formatLinkTarget('mailto:%E0%A4%A')).toBe('%E0%A4%A');
});

test('reads a destination by reference or index, with the distance it names', () => {
  const ref = { num: 5, gen: 0 };
  expect(readDestination([ref, { name: 'XYZ' }, 10, 700, null])).toEqual({ page: ref, y: 700 });
  expect(readDestination([2, { name: 'FitH' }, 650])).toEqual({ page: 2, y: 650 });
  expect(readDestination([2, { name: 'XYZ' }, null, null, null])).toEqual({ page: 2, y: undefined });
  expect(readDestination([2, { name: 'Fit' }])).toEqual({ page: 2, y: undefined });
  for (const wrong of [null, 'name', [], ['a', { name: 'Fit' }], [{ num: 1 }, { name: 'Fit' }], [1, 'Fit']])
    expect(readDestination(wrong)).toBeUndefined();
});

test('reads links of a page and the outline, and leaves out what is malformed', () => {
  const rect = [1, 2, 3, 4];
  expect(readPageLink({ subtype: 'Link', rect, dest: 'a' })).toEqual({
    link: { kind: 'internal', destination: 'a' },
    corners: rect,
  });
  expect(readPageLink({ subtype: 'Widget', rect, dest: 'a' })).toBeUndefined();
  expect(readPageLink({ subtype: 'Link', rect: [1, 2, 3], dest: 'a' })).toBeUndefined();
  expect(readOutline(null)).toEqual([]);
  expect(readOutline([{ title: ' One ', items: [{ title: 'Below', dest: 'b' }] }, { items: [] }])).toEqual([
    {
      title: 'One',
      link: undefined,
      items: [{ title: 'Below', link: { kind: 'internal', destination: 'b' }, items: [] }],
    },
  ]);
});
