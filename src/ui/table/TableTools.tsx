import { ArrowDownUp, Columns3, Rows3 } from 'lucide-react';
import { MenuButton } from '../menu/MenuButton.tsx';
import { setDensity, useDensity } from '../theme.ts';
import { SMALL, useMedia } from '../use-media.ts';
import type { Column, Sort } from './columns.ts';

interface TableToolsProps<Row> {
  columns: readonly Column<Row>[];
  hidden: readonly string[];
  onHide: (hidden: readonly string[]) => void;
  sort?: Sort | undefined;
  onSort?: (sort: Sort) => void;
}

const DENSITIES = [
  { density: 'compact', label: 'Compact' },
  { density: 'regular', label: 'Regular' },
  { density: 'comfortable', label: 'Comfortable' },
] as const;

/** Which columns, how dense; on a phone, where there is no header row, the order instead. */
export function TableTools<Row>({ columns, hidden, onHide, sort, onSort }: TableToolsProps<Row>) {
  const small = useMedia(SMALL);
  const density = useDensity();
  if (small) return onSort ? <SortMenu {...{ columns, sort, onSort }} /> : null;
  const hideable = columns.filter((column, at) => at > 0 && column.hideable !== false);
  const toggle = (id: string) =>
    onHide(hidden.includes(id) ? hidden.filter((one) => one !== id) : [...hidden, id]);
  return (
    <>
      <MenuButton
        label="Columns"
        icon={Columns3}
        items={hideable.map(({ id, header }) => ({
          label: header,
          checked: !hidden.includes(id),
          onSelect: () => toggle(id),
        }))}
      />
      <MenuButton
        label="Row height"
        icon={Rows3}
        items={DENSITIES.map((one) => ({
          label: one.label,
          checked: one.density === density,
          oneOf: true,
          onSelect: () => setDensity(one.density),
        }))}
      />
    </>
  );
}

type SortMenuProps<Row> = Required<Pick<TableToolsProps<Row>, 'columns' | 'onSort'>> & {
  sort: Sort | undefined;
};

function SortMenu<Row>({ columns, sort, onSort }: SortMenuProps<Row>) {
  const turned = sort?.direction === 'ascending' ? 'descending' : 'ascending';
  return (
    <MenuButton
      label="Sort"
      icon={ArrowDownUp}
      items={columns
        .filter((column) => column.sortable)
        .map(({ id, header }) => ({
          label: header,
          hint: sort?.column === id ? `${sort.direction}; choose again to turn round` : undefined,
          checked: sort?.column === id,
          oneOf: true,
          onSelect: () => onSort({ column: id, direction: sort?.column === id ? turned : 'ascending' }),
        }))}
    />
  );
}
