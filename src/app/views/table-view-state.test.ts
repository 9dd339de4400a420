import { expect, test } from 'vitest';
import type { TableView } from '../../../contract/generated/types.gen.ts';
import { findOpenView, isTableChanged, normalizeAddress, toViewContent } from './table-view-state.ts';

const layout = { order: ['email'], widths: { email: 200, status: 90 }, density: 'compact' as const };
const state = { address: '?status=locked&q=a+b', layout, hidden: ['id', 'created'] };
const view: TableView = {
  id: 1,
  name: 'Locked',
  isShared: false,
  isDefault: false,
  ownerId: 1,
  ownerName: null,
  ...toViewContent(state),
  etag: '"1"',
  createdDate: '2026-03-01T00:00:00.000Z',
  modifiedDate: '2026-03-01T00:00:00.000Z',
};

test('an address is compared whatever the order of its parameters', () => {
  expect(normalizeAddress('?b=2&a=1')).toBe(normalizeAddress('a=1&b=2'));
  expect(isTableChanged(view, { ...state, address: 'q=a+b&status=locked' })).toBe(false);
});

test('a view is changed by filters, columns, widths, their order, and the row height', () => {
  expect(isTableChanged(view, { ...state, hidden: ['created', 'id'] })).toBe(false);
  const changes = [
    { address: 'status=locked' },
    { hidden: ['id'] },
    { layout: { ...layout, order: [] } },
    { layout: { ...layout, widths: { email: 201, status: 90 } } },
    { layout: { order: layout.order, widths: layout.widths } },
  ];
  expect(changes.map((change) => isTableChanged(view, { ...state, ...change }))).toEqual(
    changes.map(() => true),
  );
});

test('the chosen view stays open when it is changed; another is open only if the table shows it exactly', () => {
  const changed = { ...state, address: 'status=active' };
  expect(findOpenView([view], 1, changed)).toBe(view);
  expect(findOpenView([view], undefined, state)).toBe(view);
  expect(findOpenView([view], undefined, changed)).toBeUndefined();
  expect(findOpenView([view], 7, changed)).toBeUndefined();
});
