import { expect, test } from 'vitest';
import type { PublicationEvent } from '../../../../contract/generated/types.gen.ts';
import { TailBuffer, buildRows, countBySteps, getRowId, matchesFilter } from './tail-buffer.ts';
import type { TailEvent, TailFilter, TailGap } from './tail-buffer.ts';

const START = Date.parse('2026-11-23T08:00:00Z');

const createEvent = (topicOffset: number, properties: Partial<PublicationEvent> = {}): PublicationEvent => ({
  eventId: '0f6f4f4e-8a55-4b0c-9f3c-1f7a3f1f0c11',
  modifiedAt: new Date(START + topicOffset * 60_000).toISOString(),
  topicName: 'default-data',
  topicOffset,
  entityType: 'Data',
  entityFormatType: 'Cells',
  modifiedById: 1,
  isCalculated: false,
  payload: {
    entities: {
      updated: [
        {
          cells: [{ EntryId: 1, EntryListId: 3, fieldId: 5, apiName: 'City', value: 'Bern' }],
          entryListId: 3,
        },
      ],
    },
  },
  ...properties,
});

const ALL: TailFilter = {
  kinds: [],
  types: [],
  fields: [],
  authorId: undefined,
  onlyProxied: false,
  calculated: 'all',
};

const fill = (offsets: readonly number[], buffer = new TailBuffer()): TailBuffer => {
  for (const offset of offsets) buffer.push(createEvent(offset));
  return buffer;
};
const listItems = ({ items }: TailBuffer) =>
  items.map((item) =>
    item.type === 'gap' ? `${item.from}-${item.to}${item.isDeleted ? ' deleted' : ''}` : item.offset,
  );

test('a skipped offset is a gap, and a repeated one is counted and not shown twice', () => {
  const buffer = fill([5, 6, 9, 9, 8, 10]);
  expect(listItems(buffer)).toEqual([5, 6, '7-8', 9, 10]);
  expect(buffer.repeated).toBe(2);
  // The first event of a tail whose start is known.
  expect(listItems(fill([3], new TailBuffer(0)))).toEqual(['0-2', 3]);
});

test('deleted offsets are marked as such, and gaps that follow each other are one', () => {
  const buffer = fill([1]);
  buffer.addGap(2, 5, true);
  buffer.addGap(6, 7, true);
  buffer.push(createEvent(8));
  expect(listItems(buffer)).toEqual([1, '2-7 deleted', 8]);
});

test('a gap is filled with what can still be read', () => {
  const buffer = fill([1, 6]);
  const gap = buffer.items.find((item): item is TailGap => item.type === 'gap');
  if (!gap) throw new Error('There is no gap');
  buffer.fillGap(gap, [createEvent(3), createEvent(4), createEvent(9)]);
  expect(listItems(buffer)).toEqual([1, '2-2 deleted', 3, 4, '5-5', 6]);
  const rest = buffer.items.find((item): item is TailGap => item.type === 'gap' && !item.isDeleted);
  if (!rest) throw new Error('There is no rest');
  buffer.fillGap(rest, []);
  expect(listItems(buffer)).toEqual([1, '2-2 deleted', 3, 4, '5-5 deleted', 6]);
});

test('the number and the size of kept events are bounded', () => {
  const many = fill(Array.from({ length: 2_500 }, (_, offset) => offset));
  expect([many.items.length, many.dropped, many.next]).toEqual([2_000, 500, 2_500]);
  const large = new TailBuffer();
  for (let offset = 0; offset < 10; offset += 1)
    large.push(createEvent(offset, { modifiedByUserEmail: 'x'.repeat(4_000_000) }));
  expect(listItems(large)).toEqual([7, 8, 9]);
});

const match = (item: TailEvent, filter: Partial<TailFilter>) => matchesFilter(item, { ...ALL, ...filter });

test('filters are combined; the author is the principal or the proxy', () => {
  const items = fill([0, 1]).items;
  const [plain] = items;
  const proxied = new TailBuffer();
  proxied.push(createEvent(0, { modifiedById: 4, proxyUserId: 9, isCalculated: true }));
  const [other] = proxied.items;
  if (plain?.type !== 'event' || other?.type !== 'event') throw new Error('There are no events');
  expect([
    match(plain, { kinds: ['updated'], types: ['3'], fields: ['City'], authorId: 1 }),
    match(plain, { kinds: ['created'] }),
    match(plain, { types: ['4'] }),
    match(plain, { fields: ['Name'] }),
    match(plain, { onlyProxied: true }),
    match(plain, { calculated: 'only' }),
  ]).toEqual([true, false, false, false, false, false]);
  expect([
    match(other, { authorId: 9 }),
    match(other, { authorId: 4, onlyProxied: true }),
    match(other, { authorId: 1 }),
    match(other, { calculated: 'hidden' }),
  ]).toEqual([true, true, false, false]);
});

test('a burst of similar events is one row until it is expanded; gaps are never filtered', () => {
  const buffer = new TailBuffer();
  for (let offset = 0; offset < 30; offset += 1)
    buffer.push(createEvent(offset, { modifiedAt: new Date(START).toISOString() }));
  buffer.push(createEvent(40, { modifiedById: 2, modifiedAt: new Date(START).toISOString() }));
  const rows = buildRows(buffer.items, ALL, new Set());
  expect(rows.map(getRowId)).toEqual(['event 40', 'gap 30', 'burst 0']);
  expect(buildRows(buffer.items, ALL, new Set([0]))).toHaveLength(32);
  expect(buildRows(buffer.items, { ...ALL, authorId: 2 }, new Set()).map(getRowId)).toEqual([
    'event 40',
    'gap 30',
  ]);
});

test('events are counted in steps, a gap with the event after it', () => {
  const { items } = fill([0, 1, 3]);
  expect(countBySteps(items, { end: START + 4 * 60_000, stepMs: 60_000, steps: 4 })).toEqual([
    { events: 1, hasGap: false },
    { events: 1, hasGap: false },
    { events: 0, hasGap: false },
    { events: 1, hasGap: true },
  ]);
});
