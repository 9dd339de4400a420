import { describe, expect, it } from 'vitest';
import { FIELD } from '../../../../contract/rules/fields.ts';
import type { FieldType } from '../../../../contract/rules/fields.ts';
import type { FieldValue } from '../../../api/generated/types.gen.ts';
import type { Field } from '../model/schema.ts';
import { lockedReason, missingIn, valueFault } from './rules.ts';
import { readTsv, toTsv } from './tsv.ts';
import { readTyped, toTyped } from './typed.ts';
import { PLAIN_FIELD } from '../model/field.fixture.ts';

const open = { id: 1, name: 'Open', seqNumber: 0 };
const won = { id: 2, name: 'Won', seqNumber: 1 };
const lost = { id: 3, name: 'Lost', seqNumber: 2 };
const choices = [open, won, lost];
const fieldOf = (fieldType: FieldType, more: Partial<Field> = {}): Field => ({
  id: fieldType,
  entryTypeId: 1,
  apiName: `F${fieldType}`,
  name: `Field ${fieldType}`,
  fieldType,
  ...PLAIN_FIELD,
  ...(fieldType === FIELD.choice && { choiceValues: choices }),
  ...more,
});
const number = fieldOf(FIELD.number);
const money = fieldOf(FIELD.number, { isMoney: true });
const day = fieldOf(FIELD.date, { isDateOnly: true });
const moment = fieldOf(FIELD.date);
const choice = fieldOf(FIELD.choice);
const tags = fieldOf(FIELD.choice, { isMultiSelect: true });

const values = (name: string, stage: number, why?: string) =>
  new Map<number, FieldValue | undefined>([
    [51, name],
    [2, choices[stage - 1]],
    [50, why],
  ]);

describe('what is typed', () => {
  it.each([
    ['1234.5', 1234.5],
    ['-3e2', -300],
    ['1,234,567.5', 1_234_567.5],
    ['1 234 567', 1_234_567],
    ['.5', 0.5],
  ])('is the number %s', (text, value) =>
    expect(readTyped(text, number, undefined, 'UTC')).toEqual({ value }),
  );

  it.each(['12a', '1,234', '1234,5', 'NaN', '1e999', '1,23,456'])('is no number: %s', (text) =>
    expect(readTyped(text, number, undefined, 'UTC')).toHaveProperty('fault'),
  );

  it('is an amount in the currency that is named, or in the one it had', () => {
    const held = { value: 1, currencyCode: 'CHF' };
    expect(readTyped('12.50 eur', money, held, 'UTC')).toEqual({
      value: { value: 12.5, currencyCode: 'EUR' },
    });
    expect(readTyped('EUR -12.50', money, held, 'UTC')).toEqual({
      value: { value: -12.5, currencyCode: 'EUR' },
    });
    expect(readTyped('12.50', money, held, 'UTC')).toEqual({ value: { value: 12.5, currencyCode: 'CHF' } });
    expect(readTyped('12.50', money, undefined, 'UTC')).toHaveProperty('fault');
    expect(readTyped('EUR', money, held, 'UTC')).toHaveProperty('fault');
  });

  it('is a day of the calendar, or a moment in UTC', () => {
    expect(readTyped('2026-02-28', day, undefined, 'UTC')).toEqual({ value: '2026-02-28T00:00:00.000Z' });
    for (const text of ['2026-02-30', '1/2/2026', '2026-02-28 08:00', '0000-01-01'])
      expect(readTyped(text, day, undefined, 'UTC')).toHaveProperty('fault');
    expect(readTyped('2026-02-28 08:00', moment, undefined, 'UTC')).toEqual({
      value: '2026-02-28T08:00:00.000Z',
    });
    expect(readTyped('2026-02-28T08:00:01+02:00', moment, undefined, 'UTC')).toEqual({
      value: '2026-02-28T06:00:01.000Z',
    });
    expect(readTyped('2026-02-30 08:00', moment, undefined, 'UTC')).toHaveProperty('fault');
  });

  it('is a choice in any case, and several of them', () => {
    expect(readTyped(' won ', choice, undefined, 'UTC')).toEqual({ value: choices[1] });
    expect(readTyped('Maybe', choice, undefined, 'UTC')).toEqual({ fault: 'Field 2 offers no "Maybe"' });
    expect(readTyped('Won; open', tags, undefined, 'UTC')).toEqual({ value: [choices[1], choices[0]] });
    expect(readTyped('Won; Maybe', tags, undefined, 'UTC')).toHaveProperty('fault');
  });

  it('is a text with every space, and nothing where it is empty', () => {
    expect(readTyped(' a ', fieldOf(FIELD.text), undefined, 'UTC')).toEqual({ value: ' a ' });
    expect(readTyped('  ', number, 5, 'UTC')).toEqual({ value: undefined });
    expect(readTyped('x'.repeat(1001), fieldOf(FIELD.text, { isKey: true }), undefined, 'UTC')).toEqual({
      fault: 'Use at most 1,000 characters',
    });
    expect(readTyped('Ann', fieldOf(FIELD.user), undefined, 'UTC')).toEqual({ names: ['Ann'] });
  });

  it('gives the same again as it is written', () => {
    const pairs: readonly [Field, FieldValue][] = [
      [number, 0.1 + 0.2],
      [money, { value: -5.25, currencyCode: 'EUR' }],
      [day, '1999-12-31T00:00:00.000Z'],
      [moment, '2026-03-01T08:00:00.000Z'],
      [moment, '2026-03-01T08:00:01.250Z'],
      [fieldOf(FIELD.boolean), false],
      [choice, lost],
      [tags, [open, lost]],
    ];
    for (const zone of ['UTC', 'Europe/Berlin', 'America/St_Johns'])
      for (const [field, value] of pairs)
        expect(readTyped(toTyped(value, field, zone), field, undefined, zone)).toEqual({ value });
  });

  it('means the clock of the zone that is shown', () => {
    const inBerlin = (text: string) => readTyped(text, moment, undefined, 'Europe/Berlin');
    expect(inBerlin('2026-07-01 08:00')).toEqual({ value: '2026-07-01T06:00:00.000Z' });
    expect(inBerlin('2026-07-01')).toEqual({ value: '2026-06-30T22:00:00.000Z' });
    // Clocks go from 2 to 3 there that night, and from 3 back to 2 in October.
    expect(inBerlin('2026-03-29 02:30')).toHaveProperty('fault');
    expect(inBerlin('2026-03-29 03:00')).toEqual({ value: '2026-03-29T01:00:00.000Z' });
    expect(inBerlin('2026-10-25 02:30')).toEqual({ value: '2026-10-25T00:30:00.000Z' });
    expect(inBerlin('2026-10-25T02:30+01:00')).toEqual({ value: '2026-10-25T01:30:00.000Z' });
    expect(toTyped('2026-07-01T06:00:00.000Z', moment, 'Europe/Berlin')).toBe('2026-07-01 08:00');
  });
});

describe('a copied block', () => {
  it('comes back as it was, whatever its texts hold', () => {
    const block = [
      ['a\tb', 'line\nline', 'say "hi"', ''],
      ['=1+1', "'=1+1", '-5', 'שלום 🦄'],
      ['"', '""', '\r\n', 'x'],
    ];
    expect(readTsv(toTsv(block))).toEqual(block);
    expect(toTsv([['=1+1', -5]])).toBe("'=1+1\t-5");
  });

  it('is read as sheets write it', () => {
    expect(readTsv('a\tb\r\nc\td\r\n')).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(readTsv('a\n\nb')).toEqual([['a'], [''], ['b']]);
    expect(readTsv('5" pipe\t"q"x')).toEqual([['5" pipe', '"q"x']]);
    expect(readTsv('')).toEqual([['']]);
  });
});

describe('what an entry needs', () => {
  const reason = fieldOf(FIELD.text, {
    id: 50,
    name: 'Reason',
    requiredWhen: { match: 'all', conditions: [{ fieldId: choice.id, operation: 0, value: 3 }] },
  });
  const key = fieldOf(FIELD.text, { id: 51, name: 'Name', isKey: true, isRequired: true });
  const fields = [key, choice, reason];
  it('follows conditions as they come to hold', () => {
    const before = values('A', 1);
    expect([...missingIn(fields, before, values('A', 3))]).toEqual([
      [50, 'Reason is required here: its conditions hold'],
    ]);
    expect(missingIn(fields, before, values('A', 3, 'Price')).size).toBe(0);
    expect(missingIn(fields, before, values('A', 2)).size).toBe(0);
  });

  it('asks nobody for what was lacking before, but everything of a new entry', () => {
    expect(missingIn(fields, values('A', 3), values('B', 3)).size).toBe(0);
    expect([...missingIn(fields, values('A', 1), values('', 1))]).toEqual([[51, 'Name is required']]);
    expect([...missingIn(fields, undefined, values('', 3)).keys()]).toEqual([51, 50]);
  });

  it('leaves to the service what depends on values that are not here', () => {
    expect(missingIn(fields, undefined, new Map([[50, undefined]])).size).toBe(0);
  });

  it('cannot write what is calculated or counted', () => {
    expect(lockedReason(fieldOf(FIELD.number, { isCalculated: true, formula: 'A * 2' }))).toContain('A * 2');
    expect(lockedReason(fieldOf(FIELD.counter, { isStoreRequestSupported: false }))).toBeDefined();
    expect(lockedReason(number)).toBeUndefined();
  });

  it('refuses a choice that is offered no more', () => {
    expect(valueFault({ id: 9, name: 'Gone' }, choice)).toBe('Field 2 does not offer this any more');
    expect(valueFault(choices[0], choice)).toBeUndefined();
  });
});
