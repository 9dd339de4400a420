import { useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { moveCell } from '../../../ui/cell-navigation.ts';
import type { Cell } from '../../../ui/cell-navigation.ts';
import { cx } from '../../../ui/cx.ts';
import { isSameField } from '../model/heat-map.ts';
import type { HeatMap, ReadFieldKey } from '../model/heat-map.ts';

const TYPE_WIDTH_PX = 138;
const MIN_CELL_WIDTH_PX = 48;
const MAX_CELL_WIDTH_PX = 110;

interface HeatMapTableProps {
  label: string;
  map: HeatMap;
  getTypeName: (entryTypeId: number) => string;
  selected: ReadFieldKey | undefined;
  /** Whether no agent may read a field any more. */
  isForbidden: (field: ReadFieldKey) => boolean;
  onSelect: (field: ReadFieldKey) => void;
}

/**
 * Table of entry types by field whose cells hold the number of values read, on the color of their amount. Arrow keys move
 * between the cells, Enter selects one.
 */
export function HeatMapTable({
  label,
  map,
  getTypeName,
  selected,
  isForbidden,
  onSelect,
}: HeatMapTableProps) {
  const table = useRef<HTMLTableElement>(null);
  const [current, setCurrent] = useState<Cell>();
  const { columns, rows } = map;
  const first = rows[0]?.cells.findIndex((cell) => cell !== undefined) ?? 0;
  const stop = current && rows[current.row]?.cells[current.column] ? current : { row: 0, column: first };

  const handleKeyDown = (event: KeyboardEvent) => {
    const bounds = { rows: rows.length, columns: columns.length, pageRows: rows.length };
    // Cells of types without the field are skipped.
    let [from, to] = [stop, moveCell(event, stop, bounds)];
    while (to && to.row >= 0 && !rows[to.row]?.cells[to.column]) {
      const next = moveCell(event, to, bounds);
      if (!next || (next.row === to.row && next.column === to.column)) return;
      [from, to] = [to, next];
    }
    if (!to || to.row < 0 || from === to) return;
    event.preventDefault();
    setCurrent(to);
    table.current?.querySelector<HTMLElement>(`[data-cell="${to.row}:${to.column}"]`)?.focus();
  };

  return (
    <div className="agent-heat-scroll">
      <table
        ref={table}
        // Cells take the focus one by one: that is a grid (ARIA, "grid").
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role
        role="grid"
        className="agent-heat"
        style={{
          minWidth: TYPE_WIDTH_PX + columns.length * MIN_CELL_WIDTH_PX,
          maxWidth: TYPE_WIDTH_PX + columns.length * MAX_CELL_WIDTH_PX,
        }}
        aria-label={label}
        onKeyDown={handleKeyDown}
      >
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Entry type</span>
            </th>
            {columns.map((column) => (
              <th key={column} scope="col" title={column}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={row.entryTypeId}>
              <th scope="row">{getTypeName(row.entryTypeId)}</th>
              {row.cells.map((cell, column) => (
                <td key={columns[column]}>
                  {cell && (
                    <button
                      type="button"
                      className={cx(
                        'agent-heat-cell num',
                        `agent-heat-${cell.level}`,
                        cell.field && isForbidden(cell.field) && 'agent-heat-forbidden',
                      )}
                      data-cell={`${at}:${column}`}
                      tabIndex={at === stop.row && column === stop.column ? 0 : -1}
                      aria-pressed={cell.field && isSameField(cell.field, selected)}
                      aria-disabled={cell.field === undefined || undefined}
                      aria-label={`${getTypeName(row.entryTypeId)}, ${columns[column]}: ${pluralize(cell.values, 'value', 'values')}${cell.field && isForbidden(cell.field) ? ', forbidden' : ''}`}
                      onClick={() => {
                        setCurrent({ row: at, column });
                        if (cell.field) onSelect(cell.field);
                      }}
                    >
                      {formatNumber(cell.values)}
                    </button>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
