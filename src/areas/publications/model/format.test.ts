import { expect, test } from 'vitest';
import type { Consumer } from '../../../../contract/generated/types.gen.ts';
import { describeContent, describeReading, formatRate, formatSpan, getPosition } from './format.ts';
import { buildTopicSchema } from './schema.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const hours = (count: number) => new Date(NOW + count * 3_600_000).toISOString();
const consumer: Consumer = {
  topicId: 1,
  topicName: 'default-data',
  clientId: 7,
  userId: 3,
  userName: 'crm-bridge',
  offset: 5,
  lag: 4,
  isActive: true,
  polledDate: hours(0),
  unreadSince: hours(-1),
  unreadDeletedDate: hours(215),
  lostEvents: 0,
};

test('spans of time have at most two units', () => {
  expect([0, 4_400, 400_000, 31.5 * 3_600_000, 185.2 * 3_600_000, 9 * 86_400_000].map(formatSpan)).toEqual([
    '0 s',
    '4 s',
    '6 min',
    '31 h',
    '7 d 17 h',
    '9 d',
  ]);
});

test('rates have the digits that tell something', () => {
  expect([0, 1 / 60, 3.14, 22.4, 1234.5].map(formatRate)).toEqual(['0', '0.02', '3.1', '22', '1,235']);
});

test('the state of a consumer names the loss first', () => {
  const states = [
    consumer,
    { ...consumer, lag: 0, unreadDeletedDate: null },
    { ...consumer, isActive: false, polledDate: null },
    { ...consumer, unreadDeletedDate: hours(31.9) },
    { ...consumer, isActive: false, unreadDeletedDate: hours(-1) },
  ].map((one) => describeReading(one, NOW));
  expect(states).toEqual([
    { tone: 'ok', label: 'Catching up' },
    { tone: 'ok', label: 'Up to date' },
    { tone: 'warn', label: 'Has not polled yet' },
    { tone: 'bad', label: 'Unread will be lost in 31 h' },
    { tone: 'bad', label: 'Unread events are being deleted' },
  ]);
});

test('positions lie between the oldest and the next event', () => {
  const topic = {
    id: 1,
    name: 'a',
    isDefault: true,
    entityFormatType: 'Cells',
    entryTypes: [],
    oldestOffset: 100,
    nextOffset: 200,
  } as const;
  const range = { ...topic, entryTypes: [] };
  expect([50, 100, 150, 200].map((offset) => getPosition(offset, range))).toEqual([0, 0, 0.5, 1]);
  expect(getPosition(7, { ...range, oldestOffset: 7, nextOffset: 7 })).toBe(1);
});

test('content names entry types, or their ids without Read Data', () => {
  const types = ['Company', 'Deal', 'Person', 'Fund'].map((apiName, index) => ({
    id: index + 1,
    apiName,
    name: apiName,
    entryListId: index + 1,
    singularName: apiName,
    pluralName: `${apiName}s`,
  }));
  const describe = (entryTypes: { entryTypeId: number; fieldIds?: number[] }[], known = types) =>
    describeContent({ name: 'x', isDefault: false, entryTypes }, buildTopicSchema(known, []));
  expect([
    describe([
      { entryTypeId: 1, fieldIds: [1, 2] },
      { entryTypeId: 2, fieldIds: [3] },
    ]),
    describe([{ entryTypeId: 1 }]),
    describe([{ entryTypeId: 1 }, { entryTypeId: 2, fieldIds: [3] }]),
    describe([1, 2, 3, 4].map((entryTypeId) => ({ entryTypeId, fieldIds: [entryTypeId] }))),
    describe([{ entryTypeId: 9 }], []),
  ]).toEqual([
    'Companys and Deals, 3 fields',
    'Companys, all fields',
    'Companys and Deals, all fields and 1 other',
    'Companys, Deals and 2 more, 4 fields',
    'type 9, all fields',
  ]);
  expect(
    describeContent({ name: 'default-users', isDefault: true, entryTypes: [] }, buildTopicSchema()),
  ).toBe('People and groups');
});
