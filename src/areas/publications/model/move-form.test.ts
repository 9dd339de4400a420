import { expect, test } from 'vitest';
import { buildMoveSchema, describeMove, toStart } from './move-form.ts';

const topic = {
  id: 1,
  name: 'default-data',
  isDefault: true,
  entityFormatType: 'Cells' as const,
  entryTypes: [],
  oldestOffset: 1_000,
  nextOffset: 5_000,
};

const getErrors = (offset: string) =>
  buildMoveSchema(topic)
    .safeParse({ to: 'offset', offset, time: '' })
    .error?.issues.map(({ message }) => message);

test('an offset outside of the kept events is named with the range', () => {
  expect([getErrors('999'), getErrors('5000'), getErrors('x'), getErrors('5001')]).toEqual([
    ['Enter an offset from 1,000 to 5,000'],
    undefined,
    ['Enter an offset'],
    ['Enter an offset from 1,000 to 5,000'],
  ]);
});

test('the preview begins at the offset or the time', () => {
  expect(toStart(topic, { to: 'offset', offset: ' 1000 ', time: '' })).toEqual({ from: 1_000 });
  expect(toStart(topic, { to: 'time', offset: '', time: '2026-11-20T08:00' })).toEqual({
    since: new Date('2026-11-20T08:00').toISOString(),
  });
  expect(toStart(topic, { to: 'time', offset: '1000', time: '' })).toBe(undefined);
});

test('a text that is no date is no time, even if it can be read as one', () => {
  for (const time of ['7', '2026', '11/12', 'Nov 20 2026'])
    expect([time, toStart(topic, { to: 'time', offset: '', time })]).toEqual([time, undefined]);
});

test('a move says what comes again and what is skipped', () => {
  expect([
    describeMove(4_000, 3_999, 5_000),
    describeMove(4_000, 4_500, 5_000),
    describeMove(4_000, 4_000, 4_001),
  ]).toEqual([
    '1 event that it has acknowledged comes again. 1,001 events are then unread.',
    '500 unread events are skipped and not read. 500 events are then unread.',
    'It stays where it is. 1 event is then unread.',
  ]);
});
