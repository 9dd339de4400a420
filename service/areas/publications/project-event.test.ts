import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFilter, createProjection, type StoredDataEvent } from './project-event.ts';

const cell = (EntryId: number, fieldId: number, value: unknown) => ({
  EntryId,
  EntryListId: 5,
  fieldId,
  apiName: `F${fieldId}`,
  value,
});

/** Entries 1 (created), 2 (changed in fields 10 and 11) and 3 (changed in field 11). */
const event: StoredDataEvent & { eventId: string; entityFormatType: string } = {
  eventId: 'e-1',
  entityType: 'Data',
  entityFormatType: 'Cells',
  payload: {
    entities: {
      created: [{ entries: [{ EntryId: 1 }], entryListId: 5 }],
      updated: [
        {
          cells: [cell(1, 10, 'a'), cell(2, 10, null), cell(2, 11, 7), cell(3, 11, 8)],
          entryListId: 5,
        },
      ],
    },
  },
  entryNames: { 1: 'One', 2: 'Two', 3: 'Three' },
};
const project = (format: 'Rows' | 'Cells', fieldIds?: number[], source: StoredDataEvent = event) =>
  createProjection({ format, entryTypes: [{ entryTypeId: 5, ...(fieldIds && { fieldIds }) }] })(source);

const row = (EntryId: number, EntryName: string, values: object) => ({
  EntryId,
  EntryName,
  EntryListId: 5,
  ...values,
});

test('a CELLS topic has the chosen cells, the created entries and no EntryName', () => {
  expect(project('Cells', [10])).toEqual({
    eventId: 'e-1',
    entityType: 'Data',
    entityFormatType: 'Cells',
    payload: {
      entities: {
        created: [{ entries: [{ EntryId: 1 }], entryListId: 5 }],
        updated: [{ cells: [cell(1, 10, 'a'), cell(2, 10, null)], entryListId: 5 }],
      },
    },
  });
});

test('a ROWS topic has a row with EntryName for each entry, a created one with its values', () => {
  expect(project('Rows')).toEqual({
    eventId: 'e-1',
    entityType: 'Data',
    entityFormatType: 'Rows',
    payload: {
      entities: {
        created: [{ entryFields: [row(1, 'One', { F10: 'a' })], entryListId: 5 }],
        updated: [
          {
            entryFields: [row(2, 'Two', { F10: null, F11: 7 }), row(3, 'Three', { F11: 8 })],
            entryListId: 5,
          },
        ],
      },
    },
  });
});

test('an event without a chosen field or type is not streamed; deleted entries of a type are', () => {
  const changed = { ...event, payload: { entities: { updated: event.payload.entities.updated ?? [] } } };
  expect(project('Rows', [12], changed)).toBeUndefined();
  expect(createProjection({ format: 'Cells', entryTypes: [{ entryTypeId: 6 }] })(event)).toBeUndefined();
  const deleted = {
    ...event,
    payload: { entities: { deleted: [{ entries: [{ EntryId: 3 }], entryListId: 5 }] } },
  };
  expect(project('Rows', [12], deleted)).toMatchObject({
    payload: {
      entities: {
        deleted: [{ entryFields: [{ EntryId: 3, EntryName: 'Three', EntryListId: 5 }], entryListId: 5 }],
      },
    },
  });
});

test('large text is marked in its cell and in its row; a field cannot replace the id of its entry', () => {
  const cells = [
    { EntryId: 2, EntryListId: 5, fieldId: 10, apiName: 'F10', isLargeText: true },
    { ...cell(2, 11, 'x'), apiName: 'EntryId' },
  ];
  const source = { ...event, payload: { entities: { updated: [{ cells, entryListId: 5 }] } } };
  expect(project('Cells', undefined, source)).toMatchObject({
    payload: { entities: { updated: [{ cells }] } },
  });
  expect(project('Rows', undefined, source)).toMatchObject({
    payload: {
      entities: { updated: [{ entryFields: [{ EntryId: 2, F10: { isLargeText: true } }] }] },
    },
  });
});

test('the filter chooses the events for which there is a message', () => {
  const entryTypeId = fc.integer({ min: 1, max: 3 });
  const fieldId = fc.integer({ min: 10, max: 13 });
  const list = entryTypeId.map((entryListId) => ({ entries: [{ EntryId: entryListId }], entryListId }));
  const changes = fc
    .record({ entryListId: entryTypeId, fieldIds: fc.array(fieldId, { minLength: 1, maxLength: 3 }) })
    .map(({ entryListId, fieldIds }) => ({
      entryListId,
      cells: fieldIds.map((id) => ({ ...cell(entryListId, id, 'x'), EntryListId: entryListId })),
    }));
  const entities = fc.record(
    {
      created: fc.array(list, { maxLength: 2 }),
      updated: fc.array(changes, { maxLength: 2 }),
      deleted: fc.array(list, { maxLength: 2 }),
    },
    { requiredKeys: [] },
  );
  const entryTypes = fc.uniqueArray(
    fc.record(
      { entryTypeId, fieldIds: fc.array(fieldId, { maxLength: 3 }) },
      { requiredKeys: ['entryTypeId'] },
    ),
    { selector: (type) => type.entryTypeId, maxLength: 2 },
  );
  const format = fc.constantFrom('Rows' as const, 'Cells' as const);
  let [streamed, skipped] = [0, 0];
  fc.assert(
    fc.property(entities, entryTypes, format, (changed, types, chosen) => {
      const source = { ...event, payload: { entities: changed } };
      const isStreamed = createFilter({ entryTypes: types })(source);
      if (isStreamed) streamed += 1;
      else skipped += 1;
      return isStreamed === (createProjection({ format: chosen, entryTypes: types })(source) !== undefined);
    }),
    { numRuns: 500 },
  );
  expect(Math.min(streamed, skipped)).toBeGreaterThan(50);
});
