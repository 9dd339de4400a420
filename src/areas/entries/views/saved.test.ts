import { expect, it } from 'vitest';
import type { SavedView } from '../../../api/generated/types.gen.ts';
import { AS_SCHEMA } from '../model/columns-store.ts';
import { schemaOf } from '../model/schema.ts';
import { contentOf, goneFrom, isChanged, namesIn, viewOf, withoutGone } from './saved.ts';
import { PLAIN_FIELD } from '../model/field.fixture.ts';

const field = (id: number, apiName: string, fieldType = 1) => ({
  id,
  entryTypeId: 1,
  apiName,
  name: apiName,
  fieldType,
  ...PLAIN_FIELD,
  isKey: id === 1,
});
const fields = schemaOf([], [field(1, 'Name'), field(2, 'City'), field(3, 'Size', 3)]).fieldsOf(1);
const without = (name: string) => fields.filter(({ apiName }) => apiName !== name);

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
  etag: '"1"',
  createdDate: '2026-03-01T00:00:00.000Z',
  modifiedDate: '2026-03-01T00:00:00.000Z',
};

it('opens to an address that asks for the same without the view', () => {
  const view = viewOf(saved, fields);
  expect(view).toEqual({ q: '', query: { Size: { $gt: 5 }, City: 'Oslo' }, sort: '-Size', saved: 7 });
  expect(isChanged(saved, view, saved.columns, fields)).toBe(false);
  expect(viewOf({ ...saved, query: '' }, fields).query).toBeUndefined();
});

it('is changed by what is asked for and by columns, not by how it is written', () => {
  const view = viewOf(saved, fields);
  const columns = { ...saved.columns, widths: { Size: 100, City: 90 } };
  expect(isChanged(saved, view, columns, fields)).toBe(false);
  expect(isChanged(saved, { ...view, query: '{"size":{"$GT":5},city:"Oslo"}' }, columns, fields)).toBe(false);
  expect(isChanged(saved, { ...view, query: undefined }, columns, fields)).toBe(true);
  expect(isChanged(saved, { ...view, sort: '' }, columns, fields)).toBe(true);
  expect(isChanged(saved, view, { ...columns, frozen: 1 }, fields)).toBe(true);
});

it('keeps what is in view', () => {
  expect(contentOf({ q: 'x', query: { City: 'Oslo' }, sort: '', saved: undefined }, AS_SCHEMA)).toEqual({
    search: 'x',
    query: '{"City":"Oslo"}',
    sort: '',
    columns: { order: [], hidden: [], widths: {}, frozen: 1 },
  });
});

it('says which fields are gone, and can be asked without them', () => {
  expect(goneFrom(saved, fields)).toEqual([]);
  expect(goneFrom(saved, without('Size'))).toEqual(['Size']);
  const query = { $or: [{ Size: 1 }, { City: 'Oslo' }], EntryId: { $gt: 5 }, Gone: 1 };
  expect(withoutGone(query, without('Size'))).toEqual({ $or: [{ City: 'Oslo' }], EntryId: { $gt: 5 } });
  expect(withoutGone({ $and: [{ Size: 1 }] }, without('Size'))).toBeUndefined();
});

it('names the fields that it asks for and is ordered by', () => {
  const { columns } = saved;
  const named = namesIn({
    ...saved,
    query: '{$or: [{city: 1}, {$and: [{Gone: 2}]}]}',
    sort: '-Name',
    columns,
  });
  expect([...named].toSorted()).toEqual(['city', 'gone', 'name']);
});
