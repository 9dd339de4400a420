import { expect, test } from 'vitest';
import type { Column } from './columns.ts';
import { arrangeColumns, parseTableLayout } from './table-layout.ts';

const column = (id: string): Column<string> => ({ id, header: id, cell: () => id });
const columns = ['name', 'email', 'status', 'created'].map(column);
const listIds = (order: readonly string[]) =>
  arrangeColumns(columns, { order, widths: {} }).map(({ id }) => id);

test('orders columns, keeps the first one first, and appends those that the order does not name', () => {
  expect(listIds([])).toEqual(['name', 'email', 'status', 'created']);
  expect(listIds(['created', 'name', 'unknown'])).toEqual(['name', 'created', 'email', 'status']);
});

test('applies widths to their columns only', () => {
  const arranged = arrangeColumns(columns, { order: [], widths: { email: 300, unknown: 5 } });
  expect(arranged.map(({ width }) => width)).toEqual([undefined, 300, undefined, undefined]);
});

test('leaves out what is not valid in a stored layout', () => {
  const empty = { order: [], widths: {} };
  for (const text of [null, '', 'x', 'null', '[]', '{"order":1,"widths":2,"density":"huge"}'])
    expect(parseTableLayout(text)).toEqual(empty);
  expect(parseTableLayout('{"order":["a",1],"widths":{"a":100,"b":1,"c":"9"},"density":"compact"}')).toEqual({
    order: ['a'],
    widths: { a: 100 },
    density: 'compact',
  });
});
