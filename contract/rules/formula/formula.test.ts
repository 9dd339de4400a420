import { assert, constantFrom, property, string, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIELD, type FieldType } from '../fields.ts';
import { mayBeCalculated, readFormula } from './formula.ts';
import { calculationOrder } from './order.ts';
import type { FormulaField } from './values.ts';

const names = new Map([
  [1, 'Open'],
  [2, 'Won'],
  [3, '40'],
]);
const field = (
  id: number,
  apiName: string,
  fieldType: FieldType,
  more: Partial<FormulaField> = {},
): FormulaField => ({
  id,
  apiName,
  fieldType,
  isMoney: false,
  isMultiSelect: false,
  isDateOnly: false,
  formula: null,
  choiceName: (choice) => names.get(choice),
  ...more,
});

const fields = [
  field(1, 'Name', FIELD.text),
  field(2, 'Revenue', FIELD.number),
  field(3, 'Employees', FIELD.number),
  field(4, 'Founded', FIELD.date, { isDateOnly: true }),
  field(5, 'Seen', FIELD.date),
  field(6, 'IsPublic', FIELD.boolean),
  field(7, 'Stage', FIELD.choice),
  field(8, 'Tags', FIELD.choice, { isMultiSelect: true }),
  field(9, 'Parent', FIELD.reference),
  field(10, 'Price', FIELD.currency),
  field(11, 'Plans', FIELD.binary),
  field(12, 'and', FIELD.text),
];
const stored = {
  1: 'Hafen "Nord"',
  2: 100,
  3: 8,
  4: '1999-12-31',
  5: '2026-03-01T23:30:00.000Z',
  6: true,
  7: 2,
  8: [2, 3],
  9: 58_231,
  10: { value: 12.5, currencyCode: 'EUR' },
  11: [{ file: 1 }, { file: 2 }],
  12: 'x',
};

const DAY = { fieldType: FIELD.date, isDateOnly: true };
const MOMENT = { fieldType: FIELD.date, isDateOnly: false };
const TARGETS = { text: FIELD.text, number: FIELD.number, boolean: FIELD.boolean };
type Target = keyof typeof TARGETS | 'day' | 'moment';
const targetOf = (name: Target) =>
  name === 'day' ? DAY : name === 'moment' ? MOMENT : { fieldType: TARGETS[name], isDateOnly: false };

function result(source: string, target: Target, values: Readonly<Record<string, unknown>> = stored) {
  const read = readFormula(source, targetOf(target), fields);
  if ('fault' in read) throw new Error(`${read.fault.at}: ${read.fault.message}`);
  return read.formula.run(values);
}
const faultOf = (source: string, target: Target = 'number') => {
  const read = readFormula(source, targetOf(target), fields);
  return 'fault' in read ? [read.fault.at, read.fault.message] : undefined;
};

describe('values', () => {
  test.each<[string, Target, unknown]>([
    ['1 + 2 * 3', 'number', 7],
    ['(1 + 2) * 3', 'number', 9],
    ['10 - 4 - 3', 'number', 3],
    ['- -2', 'number', 2],
    ['-Revenue / Employees', 'number', -12.5],
    ['REVENUE', 'number', 100],
    ['[ Revenue ]', 'number', 100],
    ['"a ""b"" " & [and]', 'text', 'a "b" x'],
    ['Name & 1.5 & true', 'text', 'Hafen "Nord"1.5true'],
    ['Founded & ""', 'text', '1999-12-31'],
    ['Seen & ""', 'text', '2026-03-01T23:30:00.000Z'],
    ['"" & Tags', 'text', 'Won, 40'],
    ['Stage = "won"', 'boolean', true],
    ['not Stage = "Open" and IsPublic', 'boolean', true],
    ['1 < 2 or 1 / 0 > 1', 'boolean', true],
    ['if(Revenue > 50, "big", "small")', 'text', 'big'],
    ['if(Revenue > 500, "big")', 'text', undefined],
    ['round(2.5)', 'number', 3],
    ['round(-2.5)', 'number', -3],
    ['round(1.005, 2)', 'number', 1.01],
    ['round(1234, -2)', 'number', 1200],
    ['round(1 / 3, 4)', 'number', 0.3333],
    ['min(Revenue, Employees, 9)', 'number', 8],
    ['max(Revenue, Employees)', 'number', 100],
    ['sum(Revenue, Employees, Tags)', 'number', 148],
    ['count(Tags)', 'number', 2],
    ['count(Parent)', 'number', 1],
    ['count(Plans)', 'number', 2],
    ['count(Name, Revenue)', 'number', 2],
    ['length("a😀")', 'number', 2],
    ['upper(left(Name, 3))', 'text', 'HAF'],
    ['contains(Name, "NORD")', 'boolean', true],
    ['contains(Tags, "won")', 'boolean', true],
    ['contains(Tags, "wo")', 'boolean', false],
    ['number("-12.5") + 1', 'number', -11.5],
    ['number("1e3")', 'number', undefined],
    ['Price * 2', 'number', 25],
    ['year(Founded) * 100 + month(Seen)', 'number', 199_903],
    ['addDays(Founded, 1)', 'day', '2000-01-01'],
    ['addDays(Seen, 1)', 'moment', '2026-03-02T23:30:00.000Z'],
    ['addDays(Seen, 1)', 'day', '2026-03-02'],
    ['max(Founded, Seen)', 'moment', '2026-03-01T23:30:00.000Z'],
    ['daysBetween(Founded, Seen)', 'number', 9557],
    ['Founded < Seen', 'boolean', true],
    ['trim("  ")', 'text', undefined],
    ['""', 'text', undefined],
  ])('%s as %s is %j', (source, target, expected) => {
    expect(result(source, target)).toEqual(expected);
  });

  test.each<[string, Target, unknown]>([
    ['Revenue + 1', 'number', undefined],
    ['-Revenue', 'number', undefined],
    ['1 / 0', 'number', undefined],
    ['Revenue = 1', 'boolean', undefined],
    ['Revenue <> 1', 'boolean', undefined],
    ['not IsPublic', 'boolean', true],
    ['IsPublic or true', 'boolean', true],
    ['IsPublic and true', 'boolean', false],
    ['if(IsPublic, 1, 2)', 'number', 2],
    ['Name & "!"', 'text', '!'],
    ['Name & Stage', 'text', undefined],
    ['sum(Revenue, 2)', 'number', 2],
    ['sum(Revenue)', 'number', 0],
    ['min(Revenue)', 'number', undefined],
    ['max(Revenue, 2)', 'number', 2],
    ['count(Tags, Parent, Name)', 'number', 0],
    ['isEmpty(Tags) and isEmpty(Name)', 'boolean', true],
    ['ifEmpty(Revenue, 7)', 'number', 7],
    ['round(Revenue)', 'number', undefined],
    ['round(1.5, Revenue)', 'number', undefined],
    ['addDays(Founded, 1)', 'day', undefined],
  ])('%s as %s without any data is %j', (source, target, expected) => {
    expect(result(source, target, {})).toEqual(expected);
  });

  test('what cannot be stored is no data', () => {
    expect(result('Revenue * Revenue', 'number', { 2: 1e300 })).toBeUndefined();
    expect(result('addDays(Founded, 1)', 'day', { 4: '9999-12-31' })).toBeUndefined();
    const long = 'x'.repeat(600_000);
    expect(result('Name & Name', 'text', { 1: long })).toBeUndefined();
  });
});

describe('faults', () => {
  test.each<[string, unknown]>([
    ['', [0, 'Expected a value, a field or a function, found the end']],
    ['1 +', [3, 'Expected a value, a field or a function, found the end']],
    ['1 2', [2, 'Expected a value, a field or a function, found 2']],
    ['(1', [2, 'Expected ), found the end']],
    ['min(1,', [6, 'Expected a value, a field or a function, found the end']],
    ['"abc', [0, 'The text has no closing quote']],
    ['1 ; 2', [2, '; means nothing here']],
    ['1 + 😀', [4, '😀 means nothing here']],
    ['1 + Nothing', [4, 'Field with name "Nothing" does not exist']],
    ['1 + Name', [4, 'Expected a number, this is a text']],
    ['nothing(1)', [0, 'There is no function nothing']],
    ['constructor(1)', [0, 'There is no function constructor']],
    ['__proto__', [0, '_ means nothing here']],
    ['round(1, 2, 3)', [0, 'round takes 1 to 2 values, not 3']],
    ['min()', [0, 'min takes at least 1 values, not 0']],
    ['if(1, 2)', [3, 'Expected true or false, this is a number']],
    ['if(true, 1, "a")', [12, 'This is a text, the other result is a number']],
    ['1 = "1"', [2, '= cannot compare a number with a text']],
    ['Parent = 1', [7, '= cannot compare entries, users or files with a number']],
    ['max(1, Founded)', [0, 'max takes numbers or dates, not both']],
    ['Name', [0, 'The result of the formula (text) does not fit the type of the field']],
    ['Tags', [0, 'The result of the formula (texts) does not fit the type of the field']],
    ['if(true < false, 1, 2)', [8, '< cannot compare true and false']],
    ['1 + and', [4, 'Expected a value before and; a field of this name is written [and]']],
  ])('%s: %j', (source, fault) => {
    expect(faultOf(source)).toEqual(fault);
  });

  test('length, depth and size are bounded', () => {
    expect(faultOf(`1${' '.repeat(10_000)}`)).toEqual([10_000, 'A formula has at most 10000 characters']);
    expect(faultOf('('.repeat(9999))?.[1]).toBe('A formula is at most 50 levels deep');
    expect(faultOf('-'.repeat(9999))?.[1]).toBe('A formula is at most 50 levels deep');
    expect(faultOf('abs('.repeat(2000))?.[1]).toBe('A formula is at most 50 levels deep');
    expect(faultOf('1+'.repeat(4000) + '1')?.[1]).toBe('A formula has at most 1000 operations and values');
    expect(result(`${'('.repeat(49)}1${')'.repeat(49)}`, 'number')).toBe(1);
    expect(result('1+'.repeat(499) + '1', 'number')).toBe(500);
  });

  test('no text makes it do anything but give a value or tell a fault', () => {
    const piece = constantFrom(
      ...'()+-*/&=<>,"[] 1.5'.split(''),
      'if(',
      'Revenue',
      'not ',
      ' and ',
      'min(',
      '"a"',
      'Tags',
    );
    const source = tuple(string({ unit: 'grapheme', maxLength: 3 }), string({ unit: piece, maxLength: 30 }));
    assert(
      property(source, ([odd, formula]) => {
        for (const text of [formula, formula + odd]) {
          const read = readFormula(text, targetOf('number'), fields);
          const at = 'fault' in read ? read.fault.at : 0;
          expect(at).toBeLessThanOrEqual(text.length);
          if ('formula' in read) read.formula.run(stored);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

test('the fields that a formula reads are told once each', () => {
  const read = readFormula('Revenue + revenue * [Employees]', targetOf('number'), fields);
  expect(read).toMatchObject({ formula: { reads: [2, 3] } });
});

test('only single texts, numbers, dates, and true or false without a currency are calculated', () => {
  expect(fields.filter(mayBeCalculated).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 12]);
  expect(mayBeCalculated(field(1, 'Fee', FIELD.number, { isMoney: true }))).toBe(false);
});

describe('the order of calculated fields', () => {
  test('puts each after those it reads', () => {
    const reads = new Map([
      [1, [2, 3]],
      [2, [3, 9]],
      [3, [9]],
    ]);
    expect(calculationOrder(reads)).toEqual({ order: [3, 2, 1] });
  });

  test('tells a circle from its first field back to it', () => {
    expect(calculationOrder(new Map([[1, [1]]]))).toEqual({ circle: [1, 1] });
    const reads = new Map([
      [7, [1]],
      [1, [2]],
      [2, [3]],
      [3, [1]],
    ]);
    expect(calculationOrder(reads)).toEqual({ circle: [1, 2, 3, 1] });
  });
});
