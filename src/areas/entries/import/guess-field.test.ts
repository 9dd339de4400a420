import { describe, expect, test } from 'vitest';
import { guessColumn, guessTypeNames } from './guess-field.ts';

const guess = (heading: string, ...cells: string[]) => {
  const { kind, decimal, dates } = guessColumn(heading, cells);
  return [kind, ...(decimal ? [decimal] : []), ...(dates ? [dates] : [])].join(' ');
};

describe('guesses the kind of a field', () => {
  test.each([
    ['text', 'Company', ['Ørsted A/S', 'Vestas', '']],
    ['text', 'Empty', ['', ' ']],
    ['text', 'Website', ['https://a.example', 'https://a.example', 'https://a.example']],
    // Codes lose their leading zero or plus sign as numbers, and long ones their last digits.
    ['text', 'Postcode', ['01067', '80331']],
    ['text', 'Phone', ['+4712345678', '+4787654321']],
    ['text', 'Id', ['12345678901234567890', '1']],
    ['number', 'Employees', ['1200', '35', '']],
    ['number', 'Share', ['1,234.5', '-0.25']],
    ['number comma', 'Anteil', ['1.234,5', '0,25']],
    // Read with a decimal point unless that is impossible.
    ['number', 'Value', ['1.234', '2.5']],
    ['number comma', 'Anteil', ['0,125', '0,250']],
    ['number', 'Flag', ['0', '1', '1']],
    ['money', 'Revenue', ['EUR 12.50', '7 USD']],
    ['money comma', 'Umsatz', ['12,50 EUR', '7 EUR']],
    ['date', 'Founded', ['2001-02-03', '1999-12-31', '']],
    ['date', 'Founded', ['31/12/1999', '1/2/2000']],
    ['date mdy', 'Founded', ['12/31/1999', '1/2/2000']],
    ['dateTime', 'Seen', ['2026-03-01T08:00:00Z', '2026-03-02 09:30']],
    ['text', 'Founded', ['2026-02-30', '2026-03-01']],
    ['boolean', 'Active', ['yes', 'No', 'YES']],
    ['boolean', 'Listed', ['x', '', 'x']],
    ['choice', 'Colour', ['Red', 'Blue', 'red', 'Blue']],
    // A heading decides between few values of either kind.
    ['choice', 'Country', ['Norway', 'Denmark', 'Norway']],
    ['text', 'City', ['Oslo', 'Oslo', 'Oslo', 'Bergen']],
    ['text', 'Country', ['Norway', 'Denmark']],
    ['choices', 'Topics', ['Wind; Solar', 'Solar', 'Wind; Solar', 'Wind']],
  ] as const)('%s for %s', (kind, heading, cells) => {
    expect(guess(heading, ...cells)).toBe(kind);
  });

  test('text for many different values, although they repeat', () => {
    const names = Array.from({ length: 51 }, (_, at) => `Value ${at}`);
    expect(guess('Kind', ...names, ...names)).toBe('text');
    expect(guess('Kind', ...names.slice(1), ...names.slice(1))).toBe('choice');
  });
});

test('tells columns whose values identify the rows', () => {
  expect(guessColumn('Name', ['A', 'B']).isUnique).toBe(true);
  expect(guessColumn('Name', ['A', 'a']).isUnique).toBe(false);
  expect(guessColumn('Name', ['A', '']).isUnique).toBe(false);
});

const names = (fileName: string) => {
  const { singularName, pluralName } = guessTypeNames(fileName);
  return `${singularName}, ${pluralName}`;
};

test('suggests the names of a type', () => {
  expect(names('companies_2026-03.csv')).toBe('Company, Companies');
  expect(names('Deal stages.xlsx')).toBe('Deal stage, Deal stages');
  expect(names('box.csv')).toBe('Box, Boxes');
  expect(names('address.csv')).toBe('Address, Addresses');
  expect(names('Investor')).toBe('Investor, Investors');
  expect(names('2026.csv')).toBe('Entry, Entries');
});
