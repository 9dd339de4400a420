import { describe, expect, it } from 'vitest';
import type { FieldValue } from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import type { FieldType } from '../../../../contract/rules/schema/fields.ts';
import { FIELD_DEFAULTS } from '../model/field.fixture.ts';
import type { Field } from '../model/schema.ts';
import { parseTsv, toTsv } from './grid-editing.ts';
import { parseInput, formatInput } from './parse-input.ts';
import { getLockedReason, findMissingValues, getValueError } from './value-rules.ts';

const open = { id: 1, name: 'Open', seqNumber: 0 };
const won = { id: 2, name: 'Won', seqNumber: 1 };
const lost = { id: 3, name: 'Lost', seqNumber: 2 };
const choices = [open, won, lost];
const createField = (fieldType: FieldType, more: Partial<Field> = {}): Field => ({
  id: fieldType,
  entryTypeId: 1,
  apiName: `F${fieldType}`,
  name: `Field ${fieldType}`,
  fieldType,
  ...FIELD_DEFAULTS,
  ...(fieldType === FIELD.choice && { choiceValues: choices }),
  ...more,
});
const number = createField(FIELD.number);
const money = createField(FIELD.number, { isMoney: true });
const day = createField(FIELD.date, { isDateOnly: true });
const dateTime = createField(FIELD.date);
const choice = createField(FIELD.choice);
const tags = createField(FIELD.choice, { isMultiSelect: true });

const values = (name: string, stage: number, why?: string) =>
  new Map<number, FieldValue | undefined>([
    [51, name],
    [2, choices[stage - 1]],
    [50, why],
  ]);

describe('parseInput', () => {
  it.each([
    ['1234.5', 1234.5],
    ['-3e2', -300],
    ['1,234,567.5', 1_234_567.5],
    ['1 234 567', 1_234_567],
    ['.5', 0.5],
  ])('parses the number %s', (text, value) =>
    expect(parseInput(text, number, undefined, 'UTC')).toEqual({ value }),
  );

  it.each(['12a', '1,234', '1234,5', 'NaN', '1e999', '1,23,456'])('rejects the number %s', (text) =>
    expect(parseInput(text, number, undefined, 'UTC')).toHaveProperty('error'),
  );

  it.each([
    ['9007199254740993', '9007199254740993 cannot be stored exactly: it would become 9007199254740992'],
    ['9,007,199,254,740,993', '9007199254740993 cannot be stored exactly: it would become 9007199254740992'],
    [
      '0.1234567890123456789',
      '0.1234567890123456789 cannot be stored exactly: it would become 0.12345678901234568',
    ],
  ])('rejects the number %s, which would change', (text, error) =>
    expect(parseInput(text, number, undefined, 'UTC')).toEqual({ error }),
  );

  it('parses amounts with a currency, or with the current one', () => {
    const currentValue = { value: 1, currencyCode: 'CHF' };
    expect(parseInput('12.50 eur', money, currentValue, 'UTC')).toEqual({
      value: { value: 12.5, currencyCode: 'EUR' },
    });
    expect(parseInput('EUR -12.50', money, currentValue, 'UTC')).toEqual({
      value: { value: -12.5, currencyCode: 'EUR' },
    });
    expect(parseInput('12.50', money, currentValue, 'UTC')).toEqual({
      value: { value: 12.5, currencyCode: 'CHF' },
    });
    expect(parseInput('12.50', money, undefined, 'UTC')).toHaveProperty('error');
    expect(parseInput('EUR', money, currentValue, 'UTC')).toHaveProperty('error');
  });

  it('parses dates and dates with time', () => {
    expect(parseInput('2026-02-28', day, undefined, 'UTC')).toEqual({ value: '2026-02-28T00:00:00.000Z' });
    for (const text of ['2026-02-30', '1/2/2026', '2026-02-28 08:00', '0000-01-01'])
      expect(parseInput(text, day, undefined, 'UTC')).toHaveProperty('error');
    expect(parseInput('2026-02-28 08:00', dateTime, undefined, 'UTC')).toEqual({
      value: '2026-02-28T08:00:00.000Z',
    });
    expect(parseInput('2026-02-28T08:00:01+02:00', dateTime, undefined, 'UTC')).toEqual({
      value: '2026-02-28T06:00:01.000Z',
    });
    expect(parseInput('2026-02-30 08:00', dateTime, undefined, 'UTC')).toHaveProperty('error');
  });

  it('parses one or several choices, ignoring case', () => {
    expect(parseInput(' won ', choice, undefined, 'UTC')).toEqual({ value: choices[1] });
    expect(parseInput('Maybe', choice, undefined, 'UTC')).toEqual({ error: 'Field 2 has no choice "Maybe"' });
    expect(parseInput('Won; open', tags, undefined, 'UTC')).toEqual({ value: [choices[1], choices[0]] });
    expect(parseInput('Won; Maybe', tags, undefined, 'UTC')).toHaveProperty('error');
  });

  it('keeps spaces of texts and parses empty texts as no data', () => {
    expect(parseInput(' a ', createField(FIELD.text), undefined, 'UTC')).toEqual({ value: ' a ' });
    expect(parseInput('  ', number, 5, 'UTC')).toEqual({ value: undefined });
    expect(parseInput('x'.repeat(1001), createField(FIELD.text, { isKey: true }), undefined, 'UTC')).toEqual({
      error: 'Use at most 1,000 characters',
    });
    expect(parseInput('Ann', createField(FIELD.user), undefined, 'UTC')).toEqual({ names: ['Ann'] });
  });

  it('parses formatted values to the same values', () => {
    const pairs: readonly [Field, FieldValue][] = [
      [number, 0.1 + 0.2],
      [money, { value: -5.25, currencyCode: 'EUR' }],
      [day, '1999-12-31T00:00:00.000Z'],
      [dateTime, '2026-03-01T08:00:00.000Z'],
      [dateTime, '2026-03-01T08:00:01.250Z'],
      [createField(FIELD.boolean), false],
      [choice, lost],
      [tags, [open, lost]],
    ];
    for (const zone of ['UTC', 'Europe/Berlin', 'America/St_Johns'])
      for (const [field, value] of pairs)
        expect(parseInput(formatInput(value, field, zone), field, undefined, zone)).toEqual({ value });
  });

  it('parses local time of the display time zone', () => {
    const inBerlin = (text: string) => parseInput(text, dateTime, undefined, 'Europe/Berlin');
    expect(inBerlin('2026-07-01 08:00')).toEqual({ value: '2026-07-01T06:00:00.000Z' });
    expect(inBerlin('2026-07-01')).toEqual({ value: '2026-06-30T22:00:00.000Z' });
    // Clocks change from 2 to 3 that night, and from 3 back to 2 in October.
    expect(inBerlin('2026-03-29 02:30')).toHaveProperty('error');
    expect(inBerlin('2026-03-29 03:00')).toEqual({ value: '2026-03-29T01:00:00.000Z' });
    expect(inBerlin('2026-10-25 02:30')).toEqual({ value: '2026-10-25T00:30:00.000Z' });
    expect(inBerlin('2026-10-25T02:30+01:00')).toEqual({ value: '2026-10-25T01:30:00.000Z' });
    expect(formatInput('2026-07-01T06:00:00.000Z', dateTime, 'Europe/Berlin')).toBe('2026-07-01 08:00');
  });
});

describe('TSV', () => {
  it('parses formatted cells to the same texts', () => {
    const block = [
      ['a\tb', 'line\nline', 'say "hi"', ''],
      ['=1+1', "'=1+1", '-5', 'שלום 🦄'],
      ['"', '""', '\r\n', 'x'],
    ];
    expect(parseTsv(toTsv(block))).toEqual(block);
    expect(toTsv([['=1+1', -5]])).toBe("'=1+1\t-5");
  });

  it('parses what spreadsheets copy', () => {
    expect(parseTsv('a\tb\r\nc\td\r\n')).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(parseTsv('a\n\nb')).toEqual([['a'], [''], ['b']]);
    expect(parseTsv('5" pipe\t"q"x')).toEqual([['5" pipe', '"q"x']]);
    expect(parseTsv('')).toEqual([['']]);
  });
});

describe('findMissingValues', () => {
  const reason = createField(FIELD.text, {
    id: 50,
    name: 'Reason',
    requiredWhen: { match: 'all', conditions: [{ fieldId: choice.id, operation: 0, value: 3 }] },
  });
  const key = createField(FIELD.text, { id: 51, name: 'Name', isKey: true, isRequired: true });
  const fields = [key, choice, reason];
  it('follows conditions as they become true', () => {
    const before = values('A', 1);
    expect([...findMissingValues(fields, before, values('A', 3))]).toEqual([
      [50, 'Reason is required under the current conditions'],
    ]);
    expect(findMissingValues(fields, before, values('A', 3, 'Price')).size).toBe(0);
    expect(findMissingValues(fields, before, values('A', 2)).size).toBe(0);
  });

  it('ignores values missing before, except of new entries', () => {
    expect(findMissingValues(fields, values('A', 3), values('B', 3)).size).toBe(0);
    expect([...findMissingValues(fields, values('A', 1), values('', 1))]).toEqual([[51, 'Name is required']]);
    expect([...findMissingValues(fields, undefined, values('', 3)).keys()]).toEqual([51, 50]);
  });

  it('ignores rules that depend on unknown values', () => {
    expect(findMissingValues(fields, undefined, new Map([[50, undefined]])).size).toBe(0);
  });

  it('locks calculated fields and counters', () => {
    expect(getLockedReason(createField(FIELD.number, { isCalculated: true, formula: 'A * 2' }))).toContain(
      'A * 2',
    );
    expect(getLockedReason(createField(FIELD.counter, { isStoreRequestSupported: false }))).toBeDefined();
    expect(getLockedReason(number)).toBeUndefined();
  });

  it('rejects choices that were removed', () => {
    expect(getValueError({ id: 9, name: 'Gone' }, choice)).toBe('Field 2 no longer offers this choice');
    expect(getValueError(choices[0], choice)).toBeUndefined();
  });
});
