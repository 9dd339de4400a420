import { expect, it } from 'vitest';
import type { SavedView } from '../../../../contract/generated/types.gen.ts';
import { DEFAULT_COLUMN_LAYOUT } from '../model/columns.ts';
import { createField } from '../model/field.fixture.ts';
import { buildSchema } from '../model/schema.ts';
import {
  toViewContent,
  findMissingFields,
  isViewChanged,
  getReferencedNames,
  toEntriesView,
  removeMissingFields,
} from './saved-view.ts';

const fields = buildSchema(
  [],
  [createField(1, 'Name'), createField(2, 'City'), createField(3, 'Size', 3)],
).getFields(1);
const withoutField = (name: string) => fields.filter(({ apiName }) => apiName !== name);

const saved: SavedView = {
  id: 7,
  entryTypeId: 1,
  name: 'Large',
  isShared: false,
  ownerId: 1,
  search: '',
  query: '{Size: {$gt: 5}, City: "Oslo"}',
  sort: '-Size',
  columns: { order: ['City'], hidden: [], widths: { City: 90, Size: 100 }, frozen: 2 },
  pinned: [],
  etag: '"1"',
  createdDate: '2026-03-01T00:00:00.000Z',
  modifiedDate: '2026-03-01T00:00:00.000Z',
};

it('converts a saved view to a URL that selects the same rows without it', () => {
  const view = toEntriesView(saved, fields);
  expect(view).toEqual({ q: '', query: { Size: { $gt: 5 }, City: 'Oslo' }, sort: '-Size', savedViewId: 7 });
  expect(isViewChanged(saved, view, saved.columns, fields)).toBe(false);
  expect(toEntriesView({ ...saved, query: '' }, fields).query).toBeUndefined();
});

it('detects changes of filter, order and columns, not of their notation', () => {
  const view = toEntriesView(saved, fields);
  const columns = { ...saved.columns, widths: { Size: 100, City: 90 } };
  expect(isViewChanged(saved, view, columns, fields)).toBe(false);
  expect(isViewChanged(saved, { ...view, query: '{"size":{"$GT":5},city:"Oslo"}' }, columns, fields)).toBe(
    false,
  );
  expect(isViewChanged(saved, { ...view, query: undefined }, columns, fields)).toBe(true);
  expect(isViewChanged(saved, { ...view, sort: '' }, columns, fields)).toBe(true);
  expect(isViewChanged(saved, view, { ...columns, frozen: 1 }, fields)).toBe(true);
});

it('saves the current list state', () => {
  expect(
    toViewContent(
      { q: 'x', query: { City: 'Oslo' }, sort: '', savedViewId: undefined },
      DEFAULT_COLUMN_LAYOUT,
    ),
  ).toEqual({
    search: 'x',
    query: '{"City":"Oslo"}',
    sort: '',
    columns: { order: [], hidden: [], widths: {}, frozen: 1 },
  });
});

it('finds missing fields and removes their conditions', () => {
  expect(findMissingFields(saved, fields)).toEqual([]);
  expect(findMissingFields(saved, withoutField('Size'))).toEqual(['Size']);
  const query = { $or: [{ Size: 1 }, { City: 'Oslo' }], EntryId: { $gt: 5 }, Gone: 1 };
  expect(removeMissingFields(query, withoutField('Size'))).toEqual({
    $or: [{ City: 'Oslo' }],
    EntryId: { $gt: 5 },
  });
  expect(removeMissingFields({ $and: [{ Size: 1 }] }, withoutField('Size'))).toBeUndefined();
});

it('returns the names in filter and order', () => {
  const { columns } = saved;
  const names = getReferencedNames({
    ...saved,
    query: '{$or: [{city: 1}, {$and: [{Gone: 2}]}]}',
    sort: '-Name',
    columns,
  });
  expect([...names].toSorted()).toEqual(['city', 'gone', 'name']);
});
