import { expect, test } from 'vitest';
import type { FieldValue } from '../../../api/generated/types.gen.ts';
import { schemaOf } from '../model/schema.ts';
import { reportOf } from './files.ts';
import type { EntryJob } from './keep.ts';
import { fieldsToRead, inverse, planRows } from './plan.ts';
import type { BulkEdit, BulkPlan } from './plan.ts';
import { readEntryUndo, undoFile } from './undo-file.ts';
import { PLAIN_FIELD } from '../model/field.fixture.ts';

const field = (id: number, apiName: string, more: object = {}) => ({
  id,
  entryTypeId: 1,
  apiName,
  name: apiName,
  fieldType: 1,
  ...PLAIN_FIELD,
  ...more,
});
const NAME = 1;
const STAGE = 2;
const REASON = 3;
const CITY = 4;
const TAGS = 5;
const LOST = { id: 9, name: 'Lost', seqNumber: 1 };
const OPEN = { id: 8, name: 'Open', seqNumber: 0 };
const fields = schemaOf(
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
).fieldsOf(1);

const planOf = (edit: BulkEdit, rows: Parameters<typeof planRows>[1]): BulkPlan => {
  const plan: BulkPlan = { changes: [], refused: [], same: 0 };
  planRows(plan, rows, edit, fieldsToRead(edit, fields));
  return plan;
};
const set = (fieldId: number, value: FieldValue | undefined): BulkEdit => ({
  kind: 'same',
  edits: [{ fieldId, value }],
});

const names = (edit: BulkEdit) => fieldsToRead(edit, fields).map(({ apiName }) => apiName);

test('reads what is written and what conditions ask, and no more', () => {
  expect(names(set(CITY, 'Oslo'))).toEqual(['Name', 'City']);
  expect(names(set(STAGE, LOST))).toEqual(['Name', 'Stage', 'Reason']);
  expect(names(set(REASON, 'Price'))).toEqual(['Name', 'Stage', 'Reason']);
});

test('counts who changes, who is so already, and who cannot, with the reason', () => {
  const plan = planOf(set(STAGE, LOST), [
    { EntryId: 1, Name: 'A', Stage: OPEN, Reason: 'Price' },
    { EntryId: 2, Name: 'B', Stage: OPEN },
    { EntryId: 3, Name: 'C', Stage: LOST },
    // It lacked the reason before: nobody is held back for that.
    { EntryId: 4, Stage: OPEN, Reason: 'x' },
  ]);
  expect(plan.same).toBe(1);
  expect(plan.changes.map(({ entryId, name }) => [entryId, name])).toEqual([
    [1, 'A'],
    [4, 'Entry 4'],
  ]);
  expect(plan.changes[0]?.cells).toEqual([{ fieldId: STAGE, before: OPEN, after: LOST }]);
  expect(plan.refused).toEqual([
    { entryId: 2, name: 'B', why: 'Reason is required here: its conditions hold' },
  ]);
});

test('clears, but nothing that is required; a value that does not fit is told of each', () => {
  expect(planOf(set(NAME, undefined), [{ EntryId: 1, Name: 'A' }]).refused[0]?.why).toBe('Name is required');
  expect(planOf(set(CITY, undefined), [{ EntryId: 1, Name: 'A', City: 'Oslo' }]).changes[0]?.cells).toEqual([
    { fieldId: CITY, before: 'Oslo', after: undefined },
  ]);
  const gone = { id: 77, name: 'Gone', seqNumber: 3 };
  expect(planOf(set(STAGE, gone), [{ EntryId: 1, Name: 'A' }]).refused[0]?.why).toMatch(/does not offer/);
});

test('the order of several values is no change', () => {
  const edit: BulkEdit = { kind: 'same', edits: [{ fieldId: TAGS, value: [LOST, OPEN] }] };
  expect(planOf(edit, [{ EntryId: 1, Name: 'A', Tags: [OPEN, LOST] }]).same).toBe(1);
});

test('the way back gives each its own, and leaves alone what was changed since', () => {
  const { changes } = planOf(set(CITY, 'Oslo'), [
    { EntryId: 1, Name: 'A', City: 'Rome' },
    { EntryId: 2, Name: 'B' },
    { EntryId: 3, Name: 'C', City: 'Bonn' },
  ]);
  const back = planOf(inverse(changes), [
    { EntryId: 1, Name: 'A', City: 'Oslo' },
    { EntryId: 2, Name: 'B', City: 'Oslo' },
    { EntryId: 3, Name: 'C', City: 'Kyiv' },
    { EntryId: 4, Name: 'D', City: 'Oslo' },
  ]);
  expect(back.changes.map(({ entryId, cells }) => [entryId, cells[0]?.after])).toEqual([
    [1, 'Rome'],
    [2, undefined],
  ]);
  expect(back.refused).toEqual([{ entryId: 3, name: 'C', why: 'City was changed by somebody else since' }]);
});

const job: EntryJob = {
  id: 'x',
  holder: { userId: 7, siteId: 1 },
  siteName: 'Northlight',
  userName: 'Dana Example',
  at: '2026-03-01T08:00:00.000Z',
  title: 'Edit 2 Deals',
  typeId: 1,
  typeName: 'Deal',
  changes: [
    { entryId: 1, name: '=A', cells: [{ fieldId: CITY, before: undefined, after: 'Oslo' }] },
    { entryId: 2, name: 'B', cells: [{ fieldId: STAGE, before: OPEN, after: undefined }] },
  ],
  refused: [{ entryId: 3, name: 'C', why: 'City is required' }],
};

test('an undo file brings back what was done, on its own site alone', () => {
  const text = undoFile(job, job.changes);
  expect(readEntryUndo(JSON.parse(text), 1)).toEqual({
    typeId: 1,
    scope: { ids: [1, 2] },
    edit: inverse(job.changes),
  });
  expect(() => readEntryUndo(JSON.parse(text), 2)).toThrow(/Northlight/);
  expect(() => readEntryUndo({ format: 'steward-undo-entries', version: 2 }, 1)).toThrow(/no undo file/);
});

test('the report has every entry, also who was left out, and no cell is a formula', () => {
  const lines = reportOf(job, new Map([[2, { entryId: 2, result: 'conflict', why: 'Changed' }]])).split(
    '\r\n',
  );
  expect(lines[1]).toBe(`1,"'=A","not yet","","","","Oslo"`);
  expect(lines[2]).toBe('2,"B","changed meanwhile, left alone","Changed","","8",""');
  expect(lines[3]).toBe('3,"C","left out","City is required","","",""');
});
