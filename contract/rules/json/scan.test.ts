import { assert, bigInt, double, json, property, string, tuple, integer } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findNumberLoss } from './numbers.ts';
import { scanJson } from './scan.ts';

const scan = (text: string, more: object = {}) =>
  scanJson(text, { rootPath: 'body', maxIssues: 101, parseText: JSON.parse, ...more });
const listIssues = (text: string) => scan(text).issues.map(({ path, message }) => `${path}: ${message}`);

describe('numbers that would change', () => {
  test.each([
    ['9007199254740993', '9007199254740993 cannot be stored exactly: it would become 9007199254740992'],
    ['-9007199254740993', '-9007199254740993 cannot be stored exactly: it would become -9007199254740992'],
    [
      '0.1234567890123456789',
      '0.1234567890123456789 cannot be stored exactly: it would become 0.12345678901234568',
    ],
    ['1e-400', '1e-400 cannot be stored exactly: it would become 0'],
    ['1e999', '1e999 is too large a number'],
    [
      '12345678901234567890',
      '12345678901234567890 cannot be stored exactly: it would become 12345678901234567000',
    ],
    ['0x20000000000001', '0x20000000000001 cannot be stored exactly: it would become 9007199254740992'],
    ['-0x20000000000001', '-0x20000000000001 cannot be stored exactly: it would become -9007199254740992'],
    ['+0x20000000000001', '+0x20000000000001 cannot be stored exactly: it would become 9007199254740992'],
    [`1${'0'.repeat(50)}1`, `1${'0'.repeat(39)}… cannot be stored exactly: it would become 1e+51`],
  ])('%s is refused', (literal, reason) => expect(findNumberLoss(literal)).toBe(reason));

  test.each([
    '0',
    '-0',
    '1.0',
    '1e3',
    '0.10',
    '1E+2',
    '100e-2',
    '0.1',
    '1.1',
    '9007199254740992',
    '9007199254740994',
    '123456789012345680000',
    '5e-324',
    '1.7976931348623157e308',
    '0.000000000000000000',
    '0e99999',
    '00012',
    '0.30000000000000004',
    '0x1F',
    'true',
    'NaN',
    '-',
    '1e',
    '1.2.3',
  ])('%s is kept', (literal) => expect(findNumberLoss(literal)).toBeUndefined());

  test('takes linear time for a million digits', () => {
    const digits = '1'.repeat(1_000_000);
    expect(findNumberLoss(`${digits}x`)).toBeUndefined();
    expect(findNumberLoss(digits)).toMatch(/ is too large a number$/);
    expect(findNumberLoss(`${'0'.repeat(1_000_000)}1${'0'.repeat(300)}`)).toBeUndefined();
  });

  test('every double is kept in its own notation, with more zeros and with another exponent', () => {
    assert(
      property(
        double({ noNaN: true, noDefaultInfinity: true }),
        integer({ min: 0, max: 5 }),
        (value, zeros) => {
          expect(findNumberLoss(String(value))).toBeUndefined();
          expect(findNumberLoss(value.toExponential())).toBeUndefined();
          const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
          const padded = `${mantissa}${mantissa.includes('.') ? '' : '.'}${'0'.repeat(zeros)}e${exponent}`;
          expect(findNumberLoss(padded)).toBeUndefined();
        },
      ),
    );
  });

  test('an integer is kept exactly when it comes back as it was sent', () => {
    assert(
      // Below 10^21, from where on doubles are formatted with an exponent.
      property(bigInt({ min: -(2n ** 69n), max: 2n ** 69n }), (value) => {
        expect(findNumberLoss(String(value)) === undefined).toBe(String(Number(value)) === String(value));
      }),
    );
  });
});

describe('documents', () => {
  test.each([
    ['{"a":1,"a":2}', ['a: is given twice']],
    ['{"a":{"b":[0,{"c":1,"c":2}]}}', ['a.b.1.c: is given twice']],
    ['{"a":1,"\\u0061":2}', ['a: is given twice']],
    ['[{"a":1},{"a":1}]', []],
    ['{"a":{"a":{"a":1}},"b":["a","a"]}', []],
    ['{"a":"{\\"b\\":1,\\"b\\":2}"}', []],
    [
      '{"a":[1,9007199254740993]}',
      ['a.1: 9007199254740993 cannot be stored exactly: it would become 9007199254740992'],
    ],
    [
      '9007199254740993',
      ['body: 9007199254740993 cannot be stored exactly: it would become 9007199254740992'],
    ],
    ['"9007199254740993"', []],
    ['{"9007199254740993":"\\\\","b":1,"b":2}', ['b: is given twice']],
    [`{${'"k":0,'.repeat(3)}"z":1}`, ['k: is given twice', 'k: is given twice']],
    [
      `{${Array.from({ length: 20 }, (_, index) => `"k${index}":0`).join()},"k19":1}`,
      ['k19: is given twice'],
    ],
    [`{"${'n'.repeat(200)}":1,"${'n'.repeat(200)}":1}`, [`${'n'.repeat(100)}…: is given twice`]],
    [
      "{a: 1, 'a': 2, /* a: 3, */ b: .5, c: +1e999}",
      ['a: is given twice', 'c: +1e999 is too large a number'],
    ],
  ])('%s', (text, issues) => expect(listIssues(text)).toEqual(issues));

  test('ends at the limits', () => {
    expect(scan('['.repeat(33), { maxDepth: 32 }).exceeded).toBe('depth');
    expect(scan('['.repeat(32) + ']'.repeat(32), { maxDepth: 32 }).exceeded).toBeUndefined();
    expect(scan('[[],[],{"a":1}]', { maxNodes: 4 }).exceeded).toBe('nodes');
    expect(scan('[[],[],{"a":1}]', { maxNodes: 5 }).exceeded).toBeUndefined();
    expect(scan(`[${'1e999,'.repeat(10_000)}0]`).issues).toHaveLength(101);
  });

  test('never throws, and finds nothing in what JSON.stringify writes', () => {
    assert(
      property(string({ unit: 'binary' }), (text) => {
        scan(text);
      }),
    );
    assert(
      property(json(), (text) => {
        expect(scan(text).issues).toEqual([]);
      }),
    );
  });

  test('finds a repeated name wherever it is', () => {
    assert(
      property(tuple(json(), json(), string()), ([before, after, name]) => {
        const key = JSON.stringify(name);
        const text = `{"list":[${before},{${key}:1,"other":${after},${key}:2}]}`;
        expect(scan(text).issues.filter(({ message }) => message === 'is given twice')).toHaveLength(
          name === 'other' ? 2 : 1,
        );
      }),
    );
  });

  test('takes linear time for texts made of one character', () => {
    for (const part of [
      '\u00a0',
      '\u3000',
      '//',
      '//\r',
      '\\u',
      '\u4e00',
      '"',
      "'",
      '\\',
      '"\\',
      '/',
      '/*',
      '{',
      ':',
      ',',
      '1',
      '-',
      '0',
      'e',
      '\\"',
    ])
      expect(scan(part.repeat(500_000)).exceeded).toBeUndefined();
  });
});
