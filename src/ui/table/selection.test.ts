import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import type { RowId } from './columns.ts';
import { useSelection } from './selection.ts';

type Toggle = ReturnType<typeof useSelection>['toggle'];

interface RowsProps {
  ids: readonly RowId[];
  onSelect: (selection: ReadonlySet<RowId>) => void;
  onRender: (toggle: Toggle) => void;
}

function Rows({ ids, onSelect, onRender }: RowsProps) {
  const { toggle } = useSelection({
    count: ids.length,
    idAt: (index) => ids[index],
    selection: new Set(),
    onSelect,
  });
  onRender(toggle);
  return null;
}

test('a range begins at the last toggled row, unless the rows were sorted since', () => {
  const ids = ['a', 'b', 'c', 'd'];
  const onSelect = vi.fn<RowsProps['onSelect']>();
  const onRender = vi.fn<RowsProps['onRender']>();
  renderToString(createElement(Rows, { ids, onSelect, onRender }));
  const toggle = onRender.mock.lastCall?.[0];
  toggle?.(0, false);
  toggle?.(2, true);
  ids.reverse();
  toggle?.(0, true);
  const selections = onSelect.mock.calls.map(([selection]) => [...selection]);
  expect(selections).toEqual([['a'], ['a', 'b', 'c'], ['d']]);
});
