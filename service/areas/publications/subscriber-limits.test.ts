import { expect, test } from 'vitest';
import { limitMessage, type VisibleFields } from './subscriber-limits.ts';

const entities = {
  created: [
    { entries: [{ EntryId: 1 }], entryListId: 5 },
    { entries: [{ EntryId: 2 }], entryListId: 6 },
  ],
  updated: [
    { cells: [5, 5].map((EntryListId, index) => ({ EntryListId, fieldId: 10 + index })), entryListId: 5 },
    { cells: [{ EntryListId: 6, fieldId: 20 }], entryListId: 6 },
  ],
};
const limit = (visible: VisibleFields, changed: object = entities): unknown => {
  const event = { eventId: 'e', modifiedById: 7, modifiedByUserEmail: 'a@b', payload: { entities: changed } };
  return JSON.parse(limitMessage({ topicId: 1, off: 3, at: 0, body: JSON.stringify(event) }, visible).body);
};

test('a message has the visible types and fields only', () => {
  expect(limit([{ entryTypeId: 5, fieldIds: [11] }])).toMatchObject({
    modifiedById: 7,
    payload: {
      entities: {
        created: [{ entries: [{ EntryId: 1 }], entryListId: 5 }],
        updated: [{ cells: [{ fieldId: 11 }], entryListId: 5 }],
      },
    },
  });
  expect(limit([{ entryTypeId: 6 }])).toMatchObject({
    payload: { entities: { created: [{ entryListId: 6 }], updated: [{ cells: [{ fieldId: 20 }] }] } },
  });
  expect(limit(null)).toMatchObject({ payload: { entities } });
});

test('a message of which nothing is visible has neither entities nor author', () => {
  expect(limit([{ entryTypeId: 7 }])).toEqual({ eventId: 'e', payload: { entities: {} } });
  expect(limit([])).toEqual({ eventId: 'e', payload: { entities: {} } });
  const { updated } = entities;
  expect(limit([{ entryTypeId: 5, fieldIds: [12] }], { updated })).toEqual({
    eventId: 'e',
    payload: { entities: {} },
  });
});

test('rows, which name no field ids, are not visible to a subscriber with a field list', () => {
  const rows = { updated: [{ entryFields: [{ EntryId: 1, Secret: 'x' }], entryListId: 5 }] };
  expect(limit([{ entryTypeId: 5 }], rows)).toEqual({ eventId: 'e', payload: { entities: {} } });
});
