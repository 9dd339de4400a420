import { describe, expect, test } from 'vitest';
import { parseEntries, NOT_AN_ADDRESS } from './addresses.ts';

const emails = (text: string) =>
  parseEntries(text).map(({ email, error }) => (error === undefined ? email : `?${email}`));

describe('free text', () => {
  test.each([
    [
      'ann@x.example, ben@y.example;cleo@z.example\ndan@x.example',
      ['ann@x.example', 'ben@y.example', 'cleo@z.example', 'dan@x.example'],
    ],
    ['Ann Ash <ann@x.example>; "Ben" <ben@y.example>', ['ann@x.example', 'ben@y.example']],
    [
      'Hello, could you invite ann@x.example? Thanks. Ben (ben@y.example).',
      ['ann@x.example', 'ben@y.example'],
    ],
    ['mailto:zoë@bücher.example', ['zoë@bücher.example']],
    ['ann@localhost, ben@, x.example\n@channel have a look', ['?ann@localhost', '?ben@']],
    ['ann.x.example\nben@y.example', ['?ann.x.example', 'ben@y.example']],
    ["o'brien+site@x.example", ["o'brien+site@x.example"]],
    ['', []],
    ['Nobody is in this letter, e.g. nobody.', []],
  ])('%s', (text, found) => {
    expect(emails(text)).toEqual(found);
  });

  test('parses a long run of letters quickly', () => {
    const before = performance.now();
    parseEntries('@'.repeat(200_000) + 'a'.repeat(200_000));
    expect(performance.now() - before).toBeLessThan(2000);
  });
});

describe('tables', () => {
  test('parses addresses with type, days and groups per row', () => {
    const text = [
      'Name;E-mail address;Type;Duration;Groups',
      'Ann;ann@x.example;Temporary;30 days;"Sales; North"',
      'Ben;ben@y.example;permanent;;',
      'Cleo;cleo@z.example;;90;',
      'Dan;dan.x.example;;;',
      'Eve;eve@x.example;forever;;',
      'Con;con@x.example;constructor;;',
      'Fay;fay@x.example;temporary;0;',
      'Gil;gil@x.example;permanent;5;',
    ].join('\r\n');
    expect(parseEntries(text)).toEqual([
      {
        email: 'ann@x.example',
        key: 'ann@x.example',
        rowTerms: { type: 1, days: 30, groups: ['Sales', 'North'] },
      },
      { email: 'ben@y.example', key: 'ben@y.example', rowTerms: { type: 0 } },
      { email: 'cleo@z.example', key: 'cleo@z.example', rowTerms: { type: 1, days: 90 } },
      { email: 'dan.x.example', key: 'dan.x.example', error: NOT_AN_ADDRESS },
      { email: 'eve@x.example', key: 'eve@x.example', error: '“forever” is neither Permanent nor Temporary' },
      {
        email: 'con@x.example',
        key: 'con@x.example',
        error: '“constructor” is neither Permanent nor Temporary',
      },
      {
        email: 'fay@x.example',
        key: 'fay@x.example',
        error: '“0” is not a number of days between 1 and 3650',
      },
      { email: 'gil@x.example', key: 'gil@x.example', error: 'Permanent, but with days' },
    ]);
  });

  test('parses a table below typed text after an empty line', () => {
    expect(emails('ann@x.example\n\nemail,name\nben@y.example,Ben\n\ncleo@z.example')).toEqual([
      'ann@x.example',
      'ben@y.example',
      'cleo@z.example',
    ]);
  });

  test('parses a single column with heading', () => {
    expect(emails('Email\nann@x.example\nben@y.example')).toEqual(['ann@x.example', 'ben@y.example']);
  });

  test('guesses the column from a heading that mentions e-mail', () => {
    expect(emails('Person,Work e-mail (main)\nAnn,ann@x.example')).toEqual(['ann@x.example']);
  });
});
