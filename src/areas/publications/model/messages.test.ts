import { expect, test } from 'vitest';
import type { PublicationEvent } from '../../../../contract/generated/types.gen.ts';
import { formatFields, formatMessageValue, formatTitle, readEntities, summarize } from './messages.ts';
import { buildTopicSchema } from './schema.ts';

const envelope = {
  eventId: '0f6f4f4e-8a55-4b0c-9f3c-1f7a3f1f0c11',
  modifiedAt: '2026-11-23T08:00:00.000Z',
  topicName: 'default-data',
  topicOffset: 7,
  entityType: 'Data',
  entityFormatType: 'Cells',
} as const;

const schema = buildTopicSchema([
  {
    id: 3,
    entryListId: 3,
    name: 'Company',
    apiName: 'Company',
    singularName: 'Company',
    pluralName: 'Companies',
  },
]);
const cell = (EntryId: number, apiName: string, value: unknown) => ({
  EntryId,
  EntryListId: 3,
  fieldId: 31,
  apiName,
  value,
});
const cells = (entities: object): PublicationEvent => ({
  ...envelope,
  payload: { entities: { ...entities } },
});

test('cells are grouped by entry, those of a created entry under its creation', () => {
  const event = cells({
    created: [{ entries: [{ EntryId: 1 }], entryListId: 3 }],
    updated: [{ cells: [cell(1, 'Name', 'A'), cell(2, 'City', 'Bern')], entryListId: 3 }],
    deleted: [{ entries: [{ EntryId: 9 }], entryListId: 3 }],
  });
  expect(readEntities(event).map(({ kind, id, fields }) => [kind, id, fields.length])).toEqual([
    ['created', 1, 1],
    ['deleted', 9, 0],
    ['updated', 2, 1],
  ]);
  const summary = summarize(event);
  expect([[...summary.kinds], [...summary.types], [...summary.fields]]).toEqual([
    ['created', 'deleted', 'updated'],
    ['3'],
    ['Name', 'City'],
  ]);
  expect([formatTitle(event, summary, schema), formatFields(summary, schema)]).toEqual([
    '3 Companies',
    'Name, City',
  ]);
});

test('an entry without a name in the message is named by a lookup, else by type and id', () => {
  const event = cells({ updated: [{ cells: [cell(2, 'City', 'Bern')], entryListId: 3 }] });
  const summary = summarize(event);
  expect([
    formatTitle(event, summary, schema),
    formatTitle(event, summary, schema, new Map([[2, 'Hafen AG']])),
    formatTitle(event, summary, buildTopicSchema()),
  ]).toEqual(['Company 2', 'Hafen AG', 'Entry 2']);
});

test('rows have names, and large text stands for itself', () => {
  const row = {
    EntryId: 4,
    EntryListId: 3,
    EntryName: 'Hafen AG',
    Note: { isLargeText: true },
    City: 'Bern',
  };
  const event: PublicationEvent = {
    ...envelope,
    entityFormatType: 'Rows',
    payload: { entities: { updated: [{ entryFields: [row], entryListId: 3 }] } },
  };
  expect(readEntities(event)).toEqual([
    {
      kind: 'updated',
      typeId: 3,
      id: 4,
      name: 'Hafen AG',
      fields: [
        { apiName: 'Note', value: { isLargeText: true }, isLargeText: true },
        { apiName: 'City', value: 'Bern', isLargeText: false },
      ],
    },
  ]);
});

const name = (entityType: PublicationEvent['entityType'], entity: object) => {
  const event: PublicationEvent = {
    ...envelope,
    entityType,
    entityFormatType: 'None',
    payload: { entities: { updated: [{ ...entity }] } },
  };
  return formatTitle(event, summarize(event), schema);
};

test('users, groups and entry types are named by their properties', () => {
  expect([
    name('Users', { id: 5, firstName: 'Ada', lastName: 'Marsh', email: 'a@b.example' }),
    name('UserGroups', { id: 6, name: 'Analysts' }),
    name('EntryLists', { entryListId: 3, singularName: 'Company' }),
    name('UserGroups', { id: 6 }),
  ]).toEqual(['Ada Marsh', 'Analysts', 'Company', 'Group 6']);
});

test('hostile and incomplete messages are read without errors', () => {
  const odd = [
    {},
    { created: 'x', updated: [null, 5, { cells: 7 }], deleted: [{ entries: [null] }] },
    { updated: [{ cells: [{ EntryId: 'one', apiName: 5 }] }] },
  ];
  expect(odd.map((entities) => readEntities(cells(entities)).length)).toEqual([0, 0, 1]);
  expect(formatTitle(cells({}), summarize(cells({})), schema)).toBe('Empty message');
});

test('values are formatted as text', () => {
  expect(
    [
      null,
      [],
      true,
      0.1,
      1e-12,
      { value: 12000, currencyCode: 'EUR' },
      { value: 1234.12345678, currencyCode: 'EUR' },
      { value: 1e-12, currencyCode: 'EUR' },
      [
        { id: 1, name: 'Won' },
        { id: 2, name: 'Lost' },
      ],
      { other: 1 },
    ].map((value) => formatMessageValue(value)),
  ).toEqual([
    'No value',
    'No value',
    'Yes',
    '0.1',
    '1E-12',
    'EUR 12,000',
    'EUR 1,234.12345678',
    'EUR 1E-12',
    'Won, Lost',
    '{"other":1}',
  ]);
});
