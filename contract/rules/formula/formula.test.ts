import { assert, constantFrom, property, string, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIELD, type FieldType } from '../schema/fields.ts';
import {
  canBeCalculated,
  compileFormula,
  FormulaLimitError,
  getCalculationOrder,
  renameField,
} from './formula.ts';
import type { FormulaField } from './values.ts';

const choiceNames = new Map([
  [1, 'Open'],
  [2, 'Won'],
  [3, '40'],
]);
const createField = (
  id: number,
  apiName: string,
  fieldType: FieldType,
  overrides: Partial<FormulaField> = {},
): FormulaField => ({
  id,
  apiName,
  fieldType,
  isMoney: false,
  isMultiSelect: false,
  isDateOnly: false,
  formula: null,
  formulaMaxLength: null,
  getChoiceName: (choice) => choiceNames.get(choice),
  ...overrides,
});

const fields = [
  createField(1, 'Name', FIELD.text),
  createField(2, 'Revenue', FIELD.number),
  createField(3, 'Employees', FIELD.number),
  createField(4, 'Founded', FIELD.date, { isDateOnly: true }),
  createField(5, 'Seen', FIELD.date),
  createField(6, 'IsPublic', FIELD.boolean),
  createField(7, 'Stage', FIELD.choice),
  createField(8, 'Tags', FIELD.choice, { isMultiSelect: true }),
  createField(9, 'Parent', FIELD.reference),
  createField(10, 'Price', FIELD.currency),
  createField(11, 'Plans', FIELD.binary),
  createField(12, 'and', FIELD.text),
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

const DAY = { fieldType: FIELD.date, isDateOnly: true, formulaMaxLength: null };
const TIMESTAMP = { ...DAY, isDateOnly: false };
const TARGETS = { text: FIELD.text, number: FIELD.number, boolean: FIELD.boolean };
type Target = keyof typeof TARGETS | 'day' | 'timestamp';
const getTarget = (name: Target) =>
  name === 'day' ? DAY : name === 'timestamp' ? TIMESTAMP : { ...TIMESTAMP, fieldType: TARGETS[name] };

function evaluate(source: string, target: Target, values: Readonly<Record<string, unknown>> = stored) {
  const compiled = compileFormula(source, getTarget(target), fields);
  if ('issue' in compiled) throw new Error(`${compiled.issue.position}: ${compiled.issue.message}`);
  return compiled.formula.run(values);
}
const getIssue = (source: string, target: Target = 'number') => {
  const compiled = compileFormula(source, getTarget(target), fields);
  return 'issue' in compiled ? [compiled.issue.position, compiled.issue.message] : undefined;
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
    ['addDays(Seen, 1)', 'timestamp', '2026-03-02T23:30:00.000Z'],
    ['addDays(Seen, 1)', 'day', '2026-03-02'],
    ['max(Founded, Seen)', 'timestamp', '2026-03-01T23:30:00.000Z'],
    ['daysBetween(Founded, Seen)', 'number', 9557],
    ['Founded < Seen', 'boolean', true],
    ['trim("  ")', 'text', undefined],
    ['""', 'text', undefined],
  ])('%s as %s is %j', (source, target, expected) => {
    expect(evaluate(source, target)).toEqual(expected);
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
    expect(evaluate(source, target, {})).toEqual(expected);
  });

  test('results that cannot be stored are no data', () => {
    expect(evaluate('Revenue * Revenue', 'number', { 2: 1e300 })).toBeUndefined();
    expect(evaluate('addDays(Founded, 1)', 'day', { 4: '9999-12-31' })).toBeUndefined();
  });

  test('a text beyond its limit fails with its length and the limit, in the result and on the way to it', () => {
    expect(evaluate('Name', 'text', { 1: 'x'.repeat(10_000) })).toHaveLength(10_000);
    const tooLong = 'The result has 10,001 characters; the limit is 10,000.';
    expect(() => evaluate('Name', 'text', { 1: 'x'.repeat(10_001) })).toThrow(tooLong);
    expect(() => evaluate('Name', 'text', { 1: 'x'.repeat(10_001) })).toThrow(FormulaLimitError);
    const compiled = compileFormula('Name', { ...getTarget('text'), formulaMaxLength: 20_000 }, fields);
    if ('issue' in compiled) throw new Error(compiled.issue.message);
    const { run } = compiled.formula;
    expect(run({ 1: 'x'.repeat(20_000) })).toHaveLength(20_000);
    expect(() => run({ 1: 'x'.repeat(20_001) })).toThrow(
      'The result has 20,001 characters; the limit is 20,000.',
    );
    const long = { 1: 'x'.repeat(600_000) };
    expect(evaluate('left(Name, 3)', 'text', long)).toBe('xxx');
    expect(() => evaluate('left(Name & Name, 3)', 'text', long)).toThrow(
      'A text in the calculation has 1,200,000 characters; the limit is 1,000,000.',
    );
  });
});

describe('issues', () => {
  test.each<[string, unknown]>([
    ['', [0, 'Expected a value, a field or a function, found the end']],
    ['1 +', [3, 'Expected a value, a field or a function, found the end']],
    ['1 2', [2, 'Expected a value, a field or a function, found 2']],
    ['(1', [2, 'Expected ), found the end']],
    ['min(1,', [6, 'Expected a value, a field or a function, found the end']],
    ['"abc', [0, 'The text has no closing quote']],
    ['1 ; 2', [2, 'Unexpected character ;']],
    ['1 + 😀', [4, 'Unexpected character 😀']],
    ['1 + Nothing', [4, 'Field with name "Nothing" does not exist']],
    ['1 + Name', [4, 'Expected a number, this is a text']],
    ['nothing(1)', [0, 'There is no function nothing']],
    ['constructor(1)', [0, 'There is no function constructor']],
    ['__proto__', [0, 'Unexpected character _']],
    ['round(1, 2, 3)', [0, 'round takes 1 to 2 values, not 3']],
    ['min()', [0, 'min takes at least 1 values, not 0']],
    ['if(1, 2)', [3, 'Expected true or false, this is a number']],
    ['if(true, 1, "a")', [12, 'This is a text, the other result is a number']],
    ['1 = "1"', [2, '= cannot compare a number with a text']],
    ['Parent = 1', [7, '= cannot compare entries, users or files with a number']],
    ['max(1, Founded)', [0, 'max takes numbers or dates, not both']],
    ['Name', [0, 'The result of the formula (text) does not match the type of the field']],
    ['Tags', [0, 'The result of the formula (texts) does not match the type of the field']],
    ['if(true < false, 1, 2)', [8, '< cannot compare true and false']],
    ['1 + and', [4, 'Expected a value before and; a field of this name is written [and]']],
  ])('%s: %j', (source, issue) => {
    expect(getIssue(source)).toEqual(issue);
  });

  test('length, depth and size are limited', () => {
    expect(getIssue(`1${' '.repeat(10_000)}`)).toEqual([10_000, 'A formula has at most 10000 characters']);
    expect(getIssue('('.repeat(9999))?.[1]).toBe('A formula is at most 50 levels deep');
    expect(getIssue('-'.repeat(9999))?.[1]).toBe('A formula is at most 50 levels deep');
    expect(getIssue('abs('.repeat(2000))?.[1]).toBe('A formula is at most 50 levels deep');
    expect(getIssue('1+'.repeat(4000) + '1')?.[1]).toBe('A formula has at most 1000 operations and values');
    expect(evaluate(`${'('.repeat(49)}1${')'.repeat(49)}`, 'number')).toBe(1);
    expect(evaluate('1+'.repeat(499) + '1', 'number')).toBe(500);
  });

  test('any text either compiles or results in an issue', () => {
    const fragment = constantFrom(
      ...'()+-*/&=<>,"[] 1.5'.split(''),
      'if(',
      'Revenue',
      'not ',
      ' and ',
      'min(',
      '"a"',
      'Tags',
    );
    const source = tuple(
      string({ unit: 'grapheme', maxLength: 3 }),
      string({ unit: fragment, maxLength: 30 }),
    );
    assert(
      property(source, ([suffix, formula]) => {
        for (const text of [formula, formula + suffix]) {
          const compiled = compileFormula(text, getTarget('number'), fields);
          const position = 'issue' in compiled ? compiled.issue.position : 0;
          expect(position).toBeLessThanOrEqual(text.length);
          if ('formula' in compiled) compiled.formula.run(stored);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

test('a compiled formula lists each field that it reads once', () => {
  const compiled = compileFormula('Revenue + revenue * [Employees]', getTarget('number'), fields);
  expect(compiled).toMatchObject({ formula: { fieldIds: [2, 3] } });
});

test('only single-valued text, number, date and boolean fields without a currency can be calculated', () => {
  expect(fields.filter(canBeCalculated).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 12]);
  expect(canBeCalculated(createField(1, 'Fee', FIELD.number, { isMoney: true }))).toBe(false);
});

describe('the order of calculated fields', () => {
  test('puts each field after those it reads', () => {
    const dependencies = new Map([
      [1, [2, 3]],
      [2, [3, 9]],
      [3, [9]],
    ]);
    expect(getCalculationOrder(dependencies)).toEqual({ order: [3, 2, 1] });
  });

  test('returns a cycle from its first field back to it', () => {
    expect(getCalculationOrder(new Map([[1, [1]]]))).toEqual({ cycle: [1, 1] });
    const dependencies = new Map([
      [7, [1]],
      [1, [2]],
      [2, [3]],
      [3, [1]],
    ]);
    expect(getCalculationOrder(dependencies)).toEqual({ cycle: [1, 2, 3, 1] });
  });
});

test.each([
  ['Revenue / Employees', 'Sales / Employees'],
  ['revenue+[ REVENUE ]', 'Sales+[Sales]'],
  ['if( Revenue>1 ,  "Revenue" , RevenueNet )', 'if( Sales>1 ,  "Revenue" , RevenueNet )'],
  ['revenue(1)', 'revenue(1)'],
])('%s becomes %s', (source, renamed) => {
  expect(renameField(source, 'Revenue', 'Sales')).toBe(renamed);
});

test('writes names that are reserved words in brackets', () => {
  expect(renameField('Rest + 1', 'Rest', 'Not')).toBe('[Not] + 1');
  expect(renameField('not [not]', 'Not', 'Rest')).toBe('not [Rest]');
  expect(renameField('round(Round)', 'round', 'Turn')).toBe('round(Turn)');
});
