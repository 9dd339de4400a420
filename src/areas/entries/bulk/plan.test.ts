import { expect, test } from 'vitest';
import type { FieldValue } from '../../../../contract/generated/types.gen.ts';
import { FIELD_DEFAULTS } from '../model/field.fixture.ts';
import { buildSchema } from '../model/schema.ts';
import { buildJobRequest, buildRefusedReport, getFieldsToRead, planRows } from './plan.ts';
import type { BulkEdit, BulkPlan } from './plan.ts';

const field = (id: number, apiName: string, more: object = {}) => ({
  id,
  entryTypeId: 1,
  apiName,
  name: apiName,
  fieldType: 1,
  ...FIELD_DEFAULTS,
  ...more,
});
const NAME = 1;
const STAGE = 2;
const REASON = 3;
const CITY = 4;
const TAGS = 5;
const LOST = { id: 9, name: 'Lost', seqNumber: 1 };
const OPEN = { id: 8, name: 'Open', seqNumber: 0 };
const fields = buildSchema(
  [],
  [
    field(NAME, 'Name', { isKey: true, isRequired: true }),
    field(STAGE, 'Stage', { fieldType: 2, choiceValues: [OPEN, LOST] }),
    field(REASON, 'Reason', {
      requiredWhen: { match: 'all', conditions: [{ fieldId: STAGE, operation: 0, value: LOST.id }] },
    }),
    field(CITY, 'City'),
    field(TAGS, 'Tags', { fieldType: 2, isMultiSelect: true, choiceValues: [OPEN, LOST] }),
  ],
).getFields(1);

const createPlan = (edit: BulkEdit, rows: Parameters<typeof planRows>[1]): BulkPlan => {
  const plan: BulkPlan = { changes: [], refused: [], unchangedCount: 0 };
  planRows(plan, rows, edit, getFieldsToRead(edit, fields));
  return plan;
};
const set = (fieldId: number, value: FieldValue | undefined): BulkEdit => [{ fieldId, value }];

const getFieldNames = (edit: BulkEdit) => getFieldsToRead(edit, fields).map(({ apiName }) => apiName);

test('reads only edited fields and fields of their conditions', () => {
  expect(getFieldNames(set(CITY, 'Oslo'))).toEqual(['Name', 'City']);
  expect(getFieldNames(set(STAGE, LOST))).toEqual(['Name', 'Stage', 'Reason']);
  expect(getFieldNames(set(REASON, 'Price'))).toEqual(['Name', 'Stage', 'Reason']);
});

test('counts changed, unchanged and refused entries with reasons', () => {
  const plan = createPlan(set(STAGE, LOST), [
    { EntryId: 1, Name: 'A', Stage: OPEN, Reason: 'Price' },
    { EntryId: 2, Name: 'B', Stage: OPEN },
    { EntryId: 3, Name: 'C', Stage: LOST },
    // The value was missing before, so the entry is not refused for it.
    { EntryId: 4, Stage: OPEN, Reason: 'x' },
  ]);
  expect(plan.unchangedCount).toBe(1);
  expect(plan.changes.map(({ entryId, name }) => [entryId, name])).toEqual([
    [1, 'A'],
    [4, 'Entry 4'],
  ]);
  expect(plan.changes[0]?.cells).toEqual([{ fieldId: STAGE, before: OPEN, after: LOST }]);
  expect(plan.refused).toEqual([
    { entryId: 2, name: 'B', why: 'Reason is required under the current conditions' },
  ]);
});

test('clears fields unless they are required, and refuses invalid values', () => {
  expect(createPlan(set(NAME, undefined), [{ EntryId: 1, Name: 'A' }]).refused[0]?.why).toBe(
    'Name is required',
  );
  expect(
    createPlan(set(CITY, undefined), [{ EntryId: 1, Name: 'A', City: 'Oslo' }]).changes[0]?.cells,
  ).toEqual([{ fieldId: CITY, before: 'Oslo', after: undefined }]);
  const deleted = { id: 77, name: 'Gone', seqNumber: 3 };
  expect(createPlan(set(STAGE, deleted), [{ EntryId: 1, Name: 'A' }]).refused[0]?.why).toMatch(
    /no longer offers/,
  );
});

test('ignores the order of multiple values', () => {
  expect(
    createPlan(set(TAGS, [LOST, OPEN]), [{ EntryId: 1, Name: 'A', Tags: [OPEN, LOST] }]).unchangedCount,
  ).toBe(1);
});

test('requests what the dry run read of all edited fields, of those with the target value too', () => {
  const edit: BulkEdit = [...set(STAGE, LOST), ...set(CITY, undefined)];
  const { changes } = createPlan(edit, [
    { EntryId: 1, Name: 'A', City: 'Rome', Stage: LOST },
    { EntryId: 2, Name: 'B', Reason: 'Price', Stage: OPEN },
  ]);
  expect(buildJobRequest(7, edit, changes)).toEqual({
    entryTypeId: 7,
    values: [
      { fieldId: STAGE, value: LOST.id },
      { fieldId: CITY, value: null },
    ],
    entries: [
      {
        entryId: 1,
        expected: [
          { fieldId: STAGE, value: LOST.id },
          { fieldId: CITY, value: 'Rome' },
        ],
      },
      {
        entryId: 2,
        expected: [
          { fieldId: STAGE, value: OPEN.id },
          { fieldId: CITY, value: null },
        ],
      },
    ],
  });
});

test('lists refused entries with reasons, without formulas', () => {
  const lines = buildRefusedReport([{ entryId: 3, name: '=C', why: 'City is required' }]).split('\r\n');
  expect(lines[1]).toBe(`3,"'=C","City is required"`);
});
