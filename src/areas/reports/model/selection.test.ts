import { expect, test } from 'vitest';
import type { ReportTemplate } from '../../../../contract/generated/types.gen.ts';
import { filterTemplates, formatSelection, MAX_SELECTED_ENTRIES, parseSelection } from './selection.ts';

test('a selection survives its URL', () => {
  const selection = {
    type: 'Company',
    templateId: 3,
    ids: [4, 17],
    query: { Sector: 2 },
    orderBy: '-Name',
    asOf: '2026-03-01T08:00:00.000Z',
    filter: 'Sector is Energy',
  };
  expect(parseSelection(formatSelection(selection))).toEqual(selection);
  expect(formatSelection(parseSelection({}))).toEqual({});
});

test('invalid parameters are ignored, and more ids than a report can name', () => {
  const ids = Array.from({ length: MAX_SELECTED_ENTRIES + 5 }, (_, at) => at + 1).join('-');
  expect(parseSelection({ template: -1, ids, query: [], asOf: 'yesterday' })).toMatchObject({
    templateId: undefined,
    query: undefined,
    asOf: '',
    ids: { length: MAX_SELECTED_ENTRIES },
  });
  expect(parseSelection({ asOf: '2026-02-31T08:00:00Z' }).asOf).toBe('');
});

const template = (id: number, entryTypeId: number, status: ReportTemplate['status'] = 'Ready') =>
  ({ id, entryTypeId, status }) as ReportTemplate;

test('a selection is generated with ready templates of its entry type', () => {
  const templates = [template(1, 10), template(2, 10, 'Broken'), template(3, 20), template(4, 10)];
  const list = (search: Parameters<typeof parseSelection>[0], typeId?: number) =>
    filterTemplates(templates, parseSelection(search), typeId).map(({ id }) => id);
  expect(list({})).toEqual([1, 3, 4]);
  expect(list({ template: 2 })).toEqual([1, 3, 4]);
  expect(list({ type: 'Company' }, 10)).toEqual([1, 4]);
  expect(list({ type: '10', template: 3, ids: '7' }, 10)).toEqual([1, 4]);
  // Without a type the template has it, also a broken one.
  expect(list({ template: 2, ids: '7' })).toEqual([1, 4]);
  expect(list({ template: 3, query: { Size: 1 } })).toEqual([3]);
  // A deleted template, and a deleted type.
  expect(list({ template: 9, ids: '7' })).toEqual([]);
  expect(list({ type: 'Company', ids: '7' })).toEqual([]);
});
