import { expect, test } from 'vitest';
import { formatSelection, MAX_SELECTED_ENTRIES, parseSelection } from './selection.ts';

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
});
