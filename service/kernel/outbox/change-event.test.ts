import { expect, test } from 'vitest';
import {
  createEnvelope,
  createEventCell,
  hasSchemaVersion,
  splitEvent,
  type ChangeEvent,
  type DataEvent,
} from './change-event.ts';

const author = { siteId: 1, userId: 7, email: 'ada@example.com' };

const createDataEvent = (kind: DataEvent['kind'], entries: DataEvent['entries']): DataEvent => ({
  topic: 'default-data',
  entityType: 'Data',
  kind,
  isCalculated: false,
  entryListId: 5,
  entries,
});
const createEntries = (count: number, cells: DataEvent['entries'][number]['cells'] = []) =>
  Array.from({ length: count }, (_, index) => ({ entryId: index + 1, entryName: `E${index + 1}`, cells }));
const envelopes = (event: Parameters<typeof splitEvent>[0]) =>
  splitEvent(event).map((part) => createEnvelope(author, part));

test('schemaVersion is in data and schema events, isCalculated in data events only (spec 6.2, 6.3)', () => {
  const entity = { id: 1 };
  const [data = {}] = envelopes(createDataEvent('deleted', createEntries(1)));
  const [schema = {}] = envelopes({
    topic: 'default-schema',
    entityType: 'EntryLists',
    kind: 'created',
    entity,
  });
  const [user = {}] = envelopes({ topic: 'default-users', entityType: 'Users', kind: 'updated', entity });
  expect(data).toMatchObject({ entityFormatType: 'Cells', isCalculated: false });
  expect(schema).toMatchObject({ entityFormatType: 'None' });
  expect(Object.keys(schema)).not.toContain('isCalculated');
  const entityTypes = (['Data', 'EntryLists', 'Users', 'UserGroups'] as const).map((entityType) =>
    hasSchemaVersion({ topic: 'default-users', entityType, kind: 'updated', entity } as ChangeEvent),
  );
  expect(entityTypes).toEqual([true, true, false, false]);
  expect(Object.keys(user)).not.toContain('proxyUserId');
  expect(user['payload']).toEqual({ entities: { updated: [entity] } });
});

test('an event names the proxy beside the principal (spec 6.5)', () => {
  const [part] = splitEvent(createDataEvent('deleted', createEntries(1)));
  if (!part) throw new Error('The event has no part');
  const proxy = { userId: 8, email: 'proxy@example.com' };
  expect(createEnvelope({ ...author, proxy }, part)).toMatchObject({
    modifiedById: 7,
    modifiedByUserEmail: 'ada@example.com',
    proxyUserId: 8,
    proxyUserEmail: 'proxy@example.com',
  });
});

test('a change of more than 500 entries becomes several numbered parts', () => {
  const parts = envelopes(createDataEvent('deleted', createEntries(1_001)));
  expect(parts.map(({ partNumber, isLastPart }) => [partNumber, isLastPart])).toEqual([
    [1, false],
    [2, false],
    [3, true],
  ]);
  const [single = {}] = envelopes(createDataEvent('deleted', createEntries(500)));
  expect(Object.keys(single)).not.toContain('partNumber');
});

test('the cells of an entry may span parts; the entry is listed as created once', () => {
  const cells = Array.from({ length: 120 }, (_, id) => createEventCell(id, `F${id}`, 'x'.repeat(10_000)));
  const parts = splitEvent(createDataEvent('created', createEntries(2, cells)));
  expect(parts.length).toBeGreaterThan(2);
  const entities = parts.map(
    (part) =>
      Object(createEnvelope(author, part)['payload']).entities as {
        created?: { entries: { EntryId: number }[] }[];
        updated: { cells: { EntryId: number; fieldId: number }[] }[];
      },
  );
  expect(entities.flatMap(({ created = [] }) => created.flatMap((each) => each.entries))).toEqual([
    { EntryId: 1 },
    { EntryId: 2 },
  ]);
  const written = entities.flatMap(({ updated }) => updated.flatMap((each) => each.cells));
  expect(written.map(({ EntryId, fieldId }) => [EntryId, fieldId])).toEqual(
    [1, 2].flatMap((entryId) => cells.map(({ fieldId }) => [entryId, fieldId])),
  );
});

test('text over 10,000 characters is left out', () => {
  expect(createEventCell(1, 'Note', 'x'.repeat(10_001))).toEqual({
    fieldId: 1,
    apiName: 'Note',
    isLargeText: true,
  });
  expect(createEventCell(1, 'Note', undefined)).toEqual({ fieldId: 1, apiName: 'Note', value: null });
});
