import { expect, test } from 'vitest';
import type { EntryChange, PublicationEvent } from '../../../../contract/generated/types.gen.ts';
import { compareTexts, formatChange } from './difference.ts';
import { isChangeOf } from './history.ts';
import type { MessageEntity } from './messages.ts';

test('long texts are compared word by word, others are shown one after the other', () => {
  expect(
    compareTexts(
      'The board meets in March. Liam keeps the contact with them.',
      'The board meets in early January. Liam keeps the contact with them.',
    ),
  ).toEqual([
    { kind: 'same', text: 'The board meets in ' },
    { kind: 'removed', text: 'March.' },
    { kind: 'added', text: 'early January.' },
    { kind: 'same', text: ' Liam keeps the contact with them.' },
  ]);
  expect(compareTexts('short', 'also short')).toBe(undefined);
  expect(compareTexts('a'.repeat(50), 'b'.repeat(50))).toBe(undefined);
  const long = 'word '.repeat(100);
  expect(compareTexts(`${long}one end of it`, `${long}two end of it`)?.[0]?.text).toHaveLength(61);
});

const money = (value: number, currencyCode = 'USD') => ({ value, currencyCode });

test('numbers and amounts of one currency have a relative change', () => {
  expect([
    formatChange(1190, 1246),
    formatChange([money(12.4)], money(14.1)),
    formatChange(money(1), money(2, 'EUR')),
    formatChange(0, 5),
    formatChange('1', '2'),
    formatChange(5, 5),
  ]).toEqual(['+4.7%', '+13.7%', undefined, undefined, undefined, '0%']);
});

test('a change of the history belongs to a message when time, author, proxy and fields agree', () => {
  const event: PublicationEvent = {
    eventId: '0f6f4f4e-8a55-4b0c-9f3c-1f7a3f1f0c11',
    modifiedAt: '2026-11-23T08:00:00.120Z',
    topicName: 'default-data',
    topicOffset: 1,
    entityType: 'Data',
    entityFormatType: 'Cells',
    modifiedById: 4,
    payload: { entities: {} },
  };
  const entity: MessageEntity = {
    kind: 'updated',
    typeId: 3,
    id: 1,
    fields: [{ apiName: 'City', fieldId: 5, value: 'Bern', isLargeText: false }],
  };
  const change: EntryChange = {
    at: '2026-11-23T08:00:00.100Z',
    kind: 'changed',
    by: { id: 4, name: 'Ada' },
    fields: ['City', 'Name'],
  };
  const matches = (properties: Partial<EntryChange>) =>
    isChangeOf({ ...change, ...properties }, entity, event);
  expect([
    matches({}),
    matches({ at: '2026-11-23T08:00:00.121Z' }),
    matches({ at: '2026-11-23T07:40:00.000Z' }),
    matches({ by: { id: 5, name: 'Bo' } }),
    matches({ proxy: { id: 6, name: 'Cy' } }),
    matches({ fields: ['Name'] }),
  ]).toEqual([true, false, false, false, false, false]);
  expect(isChangeOf({ ...change, kind: 'created' }, { ...entity, kind: 'created', fields: [] }, event)).toBe(
    true,
  );
  expect(isChangeOf(change, { ...entity, kind: 'deleted', fields: [] }, event)).toBe(false);
});
