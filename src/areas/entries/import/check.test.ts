import { describe, expect, test } from 'vitest';
import type { RowVm } from '../../../../contract/generated/types.gen.ts';
import { FIELD, FILTER } from '../../../../contract/rules/schema/fields.ts';
import type { FieldType } from '../../../../contract/rules/schema/fields.ts';
import { formatCsv } from '../../../../contract/rules/tables/csv.ts';
import { FIELD_DEFAULTS } from '../model/field.fixture.ts';
import type { Field } from '../model/schema.ts';
import type { ParseRules } from './parse-row.ts';
import { createRowChecker } from './row-checker.ts';
import { guessRules } from './setup.ts';
import { guessMapping } from './targets.ts';

const field = (id: number, name: string, fieldType: FieldType, more: Partial<Field> = {}): Field => ({
  id,
  entryTypeId: 1,
  apiName: name,
  name,
  fieldType,
  ...FIELD_DEFAULTS,
  entryLists: [],
  choiceValues: [],
  ...more,
});

const CHOICES = [
  { id: 4, name: 'Won', seqNumber: 1 },
  { id: 5, name: 'Lost', seqNumber: 2 },
  { id: 6, name: 'Hold; on', seqNumber: 3 },
];
const isLost = { fieldId: 3, operation: FILTER.equals, value: 5 };
const FIELDS = [
  field(1, 'Name', FIELD.text, { isKey: true, isRequired: true }),
  field(2, 'Code', FIELD.text),
  field(3, 'Stage', FIELD.choice, { choiceValues: CHOICES }),
  field(4, 'Tags', FIELD.choice, { choiceValues: CHOICES, isMultiSelect: true }),
  field(5, 'Size', FIELD.number),
  field(6, 'Revenue', FIELD.currency),
  field(7, 'Due', FIELD.date, { isDateOnly: true }),
  field(8, 'Called', FIELD.date),
  field(9, 'Parent', FIELD.reference, { entryLists: [2] }),
  field(10, 'Owner', FIELD.user),
  field(11, 'Reason', FIELD.text, { requiredWhen: { match: 'all', conditions: [isLost] } }),
];

const choice = (id: number) => ({
  id,
  name: CHOICES.find((one) => one.id === id)?.name ?? '',
  entryListId: -6,
});
const STORED: RowVm[] = [
  {
    EntryId: 12,
    Name: 'Hafen Logistik',
    Code: 'h1',
    Stage: choice(4),
    Size: 1234.5,
    Revenue: { value: 12.5, currencyCode: 'EUR' },
  },
  { EntryId: 13, Name: 'Berg AG', Code: 'b1', Stage: choice(5) },
  { EntryId: 14, Name: 'Tal', Code: 'B1' },
];

type Line = Record<string, string>;

/** Result of importing lines with these columns: the first error, otherwise the changes. */
async function check(lines: readonly Line[], more: { rules?: Partial<ParseRules>; key?: string } = {}) {
  const headings = [...new Set(lines.flatMap((line) => Object.keys(line)))];
  const text = formatCsv([headings, ...lines.map((line) => headings.map((heading) => line[heading] ?? ''))]);
  const checker = createRowChecker();
  const file = await checker.open(new Blob([text]), () => undefined);
  if ('error' in file) throw new Error(file.error);
  const rules = { ...guessRules(file, FIELDS), ...more.rules };
  const request = {
    fields: FIELDS,
    mapping: guessMapping(headings, FIELDS),
    rules,
    key: more.key ?? 'EntryId',
  };
  checker.getMissingLookups(request);
  checker.addReferences(
    [2],
    [
      { id: 70, name: 'Alpha' },
      { id: 71, name: 'Beta' },
      { id: 72, name: 'beta' },
      { id: 73, name: 'Gamma' },
      { id: 74, name: 'gamma' },
    ],
  );
  checker.setUsers([{ id: 7, name: 'Ann Marsh', alias: 'ann@people.example' }]);
  checker.addNames(
    STORED.map(({ EntryId, Name }) => ({ id: EntryId, name: typeof Name === 'string' ? Name : '' })),
  );
  checker.addEntries(STORED, request);
  checker.check(request);
  return checker.getPlansByOutcome([], 0, 100).map(({ outcome, errors, changes, work }) => ({
    outcome,
    messages:
      errors.length > 0
        ? errors.map((one) => `${one.field}: ${one.message}`)
        : changes.map((one) => `${one.field}: ${one.before} → ${one.after}`),
    items: work.items.map(({ value, currencyCode }) =>
      currencyCode === undefined ? value : `${currencyCode} ${String(value)}`,
    ),
  }));
}
const one = async (line: Line, more?: Parameters<typeof check>[1]) => (await check([line], more))[0];
const news = (line: Line, more?: Parameters<typeof check>[1]) => one({ Name: 'Neu', ...line }, more);

describe('cells', () => {
  test.each<[Line, unknown[]]>([
    [{ Stage: 'won' }, [4]],
    [{ Stage: '5', Reason: 'price' }, [5, 'price']],
    [{ Tags: 'Lost; "Hold; on"; #4' }, [[5, 6, 4]]],
    [{ Tags: ' ; ""' }, []],
    [{ Size: '1,234.5' }, [1234.5]],
    [{ Size: '-.5e3' }, [-500]],
    [{ Revenue: 'USD 12.50' }, ['USD 12.5']],
    [{ Revenue: '12.50', 'Revenue (currency)': 'usd' }, ['USD 12.5']],
    [{ Due: '3.4.2026' }, ['2026-04-03']],
    [{ Called: '2026-03-01 8:05 pm' }, ['2026-03-01T20:05:00.000Z']],
    [{ Called: '2026-03-01T08:00:00+05:45' }, ['2026-03-01T02:15:00.000Z']],
    [{ Parent: 'alpha' }, [70]],
    [{ Parent: 'beta' }, [72]],
    [{ 'Parent (id)': '73', Parent: 'GAMMA' }, [73]],
    [{ Owner: 'ANN@people.example' }, [7]],
    [{ Owner: 'Ann Marsh' }, [7]],
  ])('parses %j', async (line, items) => {
    expect(await news(line)).toMatchObject({ outcome: 'create', items: ['Neu', ...items] });
  });

  test.each<[Line, string, Partial<ParseRules>?]>([
    [{ Stage: 'Maybe' }, 'Stage: There is no choice “Maybe”'],
    [{ Size: '1.234,5' }, 'Size: “1.234,5” is not a number', { decimal: 'point' }],
    [{ Size: '0,125' }, 'Size: “0,125” is not a number', { decimal: 'point' }],
    [
      { Size: '9007199254740993' },
      'Size: 9007199254740993 cannot be stored exactly: it would become 9007199254740992',
    ],
    [
      { Size: '9.007.199.254.740.993' },
      'Size: 9007199254740993 cannot be stored exactly: it would become 9007199254740992',
      { decimal: 'comma' },
    ],
    [
      { Revenue: 'EUR 0.1234567890123456789' },
      'Revenue: 0.1234567890123456789 cannot be stored exactly: it would become 0.12345678901234568',
    ],
    [{ Revenue: '12.50' }, 'Revenue: Needs a currency: a currency column, or EUR 12.50'],
    [
      { Revenue: 'EUR 1', 'Revenue (currency)': 'USD' },
      'Revenue: “EUR 1” is not in USD, unlike the currency column',
    ],
    [{ Due: '2026-02-30' }, 'Due: “2026-02-30” is not a date'],
    [{ Due: '2026-02-03 08:00' }, 'Due: “2026-02-03 08:00” has a time of day; this field holds dates'],
    [{ Parent: 'Gamm' }, 'Parent: There is no entry “Gamm”'],
    [{ Parent: 'GAMMA' }, 'Parent: Several are named “GAMMA”: 73, 74. Use the id'],
    [
      { Parent: 'Beta', 'Parent (id)': '70' },
      'Parent: “Beta” does not match the id: 70 is “Alpha”. Clear the id to use the name',
    ],
    [{ 'Parent (id)': '99' }, 'Parent: There is no entry 99'],
    [{ Owner: 'Nobody' }, 'Owner: There is no user “Nobody”'],
    [{ Reason: 'a\0b' }, 'Reason: Has a character that cannot be stored'],
    [{ Stage: 'Lost' }, 'Reason: Is required under the current conditions'],
  ])('refuses %j: %s', async (line, text, rules: Partial<ParseRules> = {}) => {
    expect(await news(line, { rules })).toMatchObject({ outcome: 'cannot', messages: [text] });
  });

  test('parses by the chosen rules', async () => {
    expect(await news({ Size: '1.234,5' }, { rules: { decimal: 'comma' } })).toMatchObject({
      items: ['Neu', 1234.5],
    });
    expect(await news({ Size: '0.125' }, { rules: { decimal: 'comma' } })).toMatchObject({
      items: ['Neu', 0.125],
    });
    expect(await news({ Due: '3/4/2026' }, { rules: { dates: 'mdy' } })).toMatchObject({
      items: ['Neu', '2026-03-04'],
    });
    const berlin = { rules: { zone: 'Europe/Berlin' } };
    expect(await news({ Called: '2026-07-01 08:00' }, berlin)).toMatchObject({
      items: ['Neu', '2026-07-01T06:00:00.000Z'],
    });
    expect(await news({ Called: '2026-03-29 02:30' }, berlin)).toMatchObject({
      messages: ['Called: “2026-03-29 02:30” is skipped by the clock change in Europe/Berlin'],
    });
  });
});

describe('rows', () => {
  test('creates, changes or skips entries', async () => {
    expect(
      await check([{ EntryId: '12', Name: 'Hafen Logistik', Stage: 'Won', Size: '1234.5', Revenue: '12.5' }]),
    ).toMatchObject([{ outcome: 'skip' }]);
    expect(await one({ EntryId: '12', Stage: 'Lost', Reason: 'price' })).toMatchObject({
      outcome: 'update',
      messages: ['Stage: Won → Lost', 'Reason:  → price'],
    });
    expect(await one({ EntryId: '99', Name: 'X' })).toMatchObject({
      messages: ['EntryId: There is no entry 99 of this type'],
    });
    expect(await one({ EntryId: '', Code: 'n' })).toMatchObject({ messages: ['Name: Is required'] });
  });

  test('ignores or clears empty cells as chosen', async () => {
    const line = { EntryId: '12', Name: 'Hafen Logistik', Stage: '' };
    expect(await one(line)).toMatchObject({ outcome: 'skip' });
    expect(await one(line, { rules: { empty: 'clear' } })).toMatchObject({
      messages: ['Stage: Won → '],
      items: [null],
    });
    expect(await one({ EntryId: '12', Name: '' }, { rules: { empty: 'clear' } })).toMatchObject({
      messages: ['Name: Is required'],
    });
  });

  test('does not refuse entries for values missing before', async () => {
    expect(await one({ EntryId: '13', Code: 'b2' })).toMatchObject({ outcome: 'update' });
  });

  test('finds entries by a field unless several match or rows repeat', async () => {
    expect(await one({ Code: 'H1', Size: '2' }, { key: 'Code' })).toMatchObject({ outcome: 'update' });
    expect(await one({ Code: 'b1', Size: '2' }, { key: 'Code' })).toMatchObject({
      messages: ['Code: Several entries match: 13, 14'],
    });
    expect(await one({ Code: '', Name: 'Neu' }, { key: 'Code' })).toMatchObject({
      messages: ['Code: Is empty, so the entry cannot be identified'],
    });
    const twice = await check([{ EntryId: '12' }, { EntryId: '13' }, { EntryId: '12' }]);
    expect(twice.map(({ messages }) => messages[0])).toEqual([
      'EntryId: The same value is in row 4',
      undefined,
      'EntryId: The same value is in row 2',
    ]);
  });

  test('reports nearly equal names, stored ones and in the file', async () => {
    expect(await news({ Name: 'HAFEN-Logistik GmbH' })).toMatchObject({
      messages: ['Name: Possible duplicate of entry 12, “Hafen Logistik”'],
    });
    const both = await check([{ Name: 'See Inc' }, { Name: 'The See' }]);
    expect(both.map(({ messages }) => messages[0])).toEqual([
      'Name: Possible duplicate of row 3',
      'Name: Possible duplicate of row 2',
    ]);
    expect(await news({ Name: 'Berg' }, { rules: { near: 'allow' } })).toMatchObject({ outcome: 'create' });
  });
});

test('asks the service for no name that it would refuse', async () => {
  const checker = createRowChecker();
  const headings = ['Name', 'Parent'];
  const file = await checker.open(
    new Blob([formatCsv([headings, ['One', 'a\0b'], ['Two', 'Alpha']])]),
    () => undefined,
  );
  if ('error' in file) throw new Error(file.error);
  const request = { fields: FIELDS, mapping: headings, rules: guessRules(file, FIELDS), key: '' };
  expect(checker.getMissingLookups(request).references.map(({ names }) => names)).toEqual([['Alpha']]);
});

test('looks up again after a failure instead of treating entries as new', async () => {
  const checker = createRowChecker();
  const file = await checker.open(new Blob(['EntryId,Name,Owner\n12,Hafen,Ann\n']), () => undefined);
  if ('error' in file) throw new Error(file.error);
  const headings = ['EntryId', 'Name', 'Owner'];
  const request = {
    fields: FIELDS,
    mapping: guessMapping(headings, FIELDS),
    rules: { ...guessRules(file, FIELDS), near: 'refuse' as const },
    key: 'EntryId',
  };
  const first = checker.getMissingLookups(request);
  expect(first).toMatchObject({ keys: [12], users: true, names: true });
  checker.setUsers([]);
  checker.addNames([]);
  expect(checker.getMissingLookups(request)).toMatchObject({ keys: [], users: false, names: false });
  checker.clearLookups();
  expect(checker.getMissingLookups(request)).toEqual(first);
});

test('reports nothing else for an unreadable row', async () => {
  const checker = createRowChecker();
  const file = await checker.open(new Blob(['Name,Code\nHafen,1\n"Berg,2\n']), () => undefined);
  if ('error' in file) throw new Error(file.error);
  const mapping = guessMapping(file.headings, FIELDS);
  const request = { fields: FIELDS, mapping, rules: guessRules(file, FIELDS), key: '' };
  expect(checker.check(request)).toMatchObject({ create: 1, cannot: 1 });
  expect(checker.getPlansByOutcome(['cannot'], 0, 1)[0]?.errors).toEqual([
    { field: undefined, message: 'A quotation mark is not closed or not doubled' },
  ]);
});
