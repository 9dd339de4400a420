import { expect, test } from 'vitest';
import type { FieldValue } from '../../../../contract/generated/types.gen.ts';
import { FIELD_DEFAULTS } from '../model/field.fixture.ts';
import { buildSchema } from '../model/schema.ts';
import type { EntryJob } from './execute-changes.ts';
import { buildReport } from './job.ts';
import { getFieldsToRead, buildInverse, planRows } from './plan.ts';
import type { BulkEdit, BulkPlan } from './plan.ts';
import { parseEntryUndoFile, formatUndoFile } from './undo-file.ts';

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
const set = (fieldId: number, value: FieldValue | undefined): BulkEdit => ({
  kind: 'same',
  edits: [{ fieldId, value }],
});

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
  const edit: BulkEdit = { kind: 'same', edits: [{ fieldId: TAGS, value: [LOST, OPEN] }] };
  expect(createPlan(edit, [{ EntryId: 1, Name: 'A', Tags: [OPEN, LOST] }]).unchangedCount).toBe(1);
});

test('restores the value of each entry and skips those changed since', () => {
  const { changes } = createPlan(set(CITY, 'Oslo'), [
    { EntryId: 1, Name: 'A', City: 'Rome' },
    { EntryId: 2, Name: 'B' },
    { EntryId: 3, Name: 'C', City: 'Bonn' },
  ]);
  const back = createPlan(buildInverse(changes), [
    { EntryId: 1, Name: 'A', City: 'Oslo' },
    { EntryId: 2, Name: 'B', City: 'Oslo' },
    { EntryId: 3, Name: 'C', City: 'Kyiv' },
    { EntryId: 4, Name: 'D', City: 'Oslo' },
  ]);
  expect(back.changes.map(({ entryId, cells }) => [entryId, cells[0]?.after])).toEqual([
    [1, 'Rome'],
    [2, undefined],
  ]);
  expect(back.refused).toEqual([{ entryId: 3, name: 'C', why: 'City was changed by someone else' }]);
});

const job: EntryJob = {
  id: 'x',
  identity: { userId: 7, siteId: 1 },
  siteName: 'Northlight',
  userName: 'Dana Example',
  confirmedAt: '2026-03-01T08:00:00.000Z',
  title: 'Edit 2 Deals',
  typeId: 1,
  typeName: 'Deal',
  changes: [
    { entryId: 1, name: '=A', cells: [{ fieldId: CITY, before: undefined, after: 'Oslo' }] },
    { entryId: 2, name: 'B', cells: [{ fieldId: STAGE, before: OPEN, after: undefined }] },
  ],
  refused: [{ entryId: 3, name: 'C', why: 'City is required' }],
};

test('reads back an undo file, on its own site only', () => {
  const text = formatUndoFile(job, job.changes);
  expect(parseEntryUndoFile(JSON.parse(text), 1)).toEqual({
    typeId: 1,
    scope: { ids: [1, 2] },
    edit: buildInverse(job.changes),
  });
  expect(() => parseEntryUndoFile(JSON.parse(text), 2)).toThrow(/Northlight/);
  expect(() => parseEntryUndoFile({ format: 'steward-undo-entries', version: 2 }, 1)).toThrow(
    /not an undo file/,
  );
});

test('reports all entries, including refused ones, without formulas', () => {
  const lines = buildReport(job, new Map([[2, { entryId: 2, result: 'conflict', why: 'Changed' }]])).split(
    '\r\n',
  );
  expect(lines[1]).toBe(`1,"'=A","pending","","","","Oslo"`);
  expect(lines[2]).toBe('2,"B","skipped: changed in the meantime","Changed","","8",""');
  expect(lines[3]).toBe('3,"C","left out","City is required","","",""');
});
