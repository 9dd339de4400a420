import { expect, test } from 'vitest';
import type { EntryChange, PublicationEvent } from '../../../../contract/generated/types.gen.ts';
import type { MessageEntity } from './messages.ts';
import { matchesMessage } from './source-change.ts';

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
    matchesMessage({ ...change, ...properties }, entity, event);
  expect([
    matches({}),
    matches({ at: '2026-11-23T08:00:00.121Z' }),
    matches({ at: '2026-11-23T07:40:00.000Z' }),
    matches({ by: { id: 5, name: 'Bo' } }),
    matches({ proxy: { id: 6, name: 'Cy' } }),
    matches({ fields: ['Name'] }),
  ]).toEqual([true, false, false, false, false, false]);
  expect(
    matchesMessage({ ...change, kind: 'created' }, { ...entity, kind: 'created', fields: [] }, event),
  ).toBe(true);
  expect(matchesMessage(change, { ...entity, kind: 'deleted', fields: [] }, event)).toBe(false);
});
