import { Link, useRouter } from '@tanstack/react-router';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { Lock, Check, ListChecks, Plus, Undo2, UserRound, Users, X } from 'lucide-react';
import { Fragment, useEffect, useMemo, useRef, useState, memo, useId } from 'react';
import type { ChangeEvent, FocusEvent, KeyboardEvent, RefObject } from 'react';
import type { GroupInfoResponse } from '../../../../contract/generated/types.gen.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import { cx } from '../../../ui/cx.ts';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { announce } from '../../../ui/layout/LiveRegion.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { useDensity } from '../../../ui/style/theme.ts';
import { getRowHeight } from '../../../ui/table/columns.ts';
import { useRowUpdates } from '../../../ui/table/row-source.ts';
import type { RowSource } from '../../../ui/table/row-source.ts';
import { Tooltip } from '../../../ui/tooltip/Tooltip.tsx';
import { moveInMatrix } from './matrix-keys.ts';
import type { MatrixCell } from './matrix-keys.ts';
import { discardUserChanges, toggleMembership } from './pending.ts';
import type { PendingChanges } from './pending.ts';
import { useColumnReasons } from './use-pending.ts';
import '../../../ui/table/table.css';
import './matrix.css';

// Height of the header in pixels, as in matrix.css.
const HEADER_HEIGHT_PX = 62;

interface MatrixGridProps {
  rows: RowSource<DirectoryRow>;
  columns: readonly GroupInfoResponse[];
  pending: PendingChanges;
  onChange: (next: (now: PendingChanges) => PendingChanges) => void;
  onSetExactly: (person: DirectoryRow) => void;
}

/** Virtualized grid: arrow keys move between cells, Space toggles one. */
export function MatrixGrid({ rows, columns, pending, onChange, onSetExactly }: MatrixGridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const height = getRowHeight(useDensity(), false);
  const [at, setAt] = useState<MatrixCell>({ row: 0, column: 1 });
  const focusOn = useCellFocus(scroller);
  useRowUpdates(rows);
  const reasons = useColumnReasons(columns);
  const last = columns.length + 1;
  const current = { row: Math.min(at.row, rows.length - 1), column: Math.min(at.column, last) };
  // The compiler that this library confuses is not used.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 8,
    scrollPaddingEnd: HEADER_HEIGHT_PX,
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), current.row])].toSorted((a, b) => a - b),
  });
  // The virtualizer caches sizes, which a changed density invalidates.
  useEffect(() => virtualizer.measure(), [virtualizer, height]);
  const items = virtualizer.getVirtualItems();
  // One visible cell is always reachable by Tab.
  const stop = items.some(({ index }) => index === current.row) ? current.row : items[0]?.index;

  const go = (to: MatrixCell) => {
    setAt(to);
    if (!focusOn(to)) virtualizer.scrollToIndex(to.row);
  };
  const focused = ({ target }: FocusEvent<HTMLElement>) => {
    const place = readCellAddress(target);
    if (place) setAt(place);
  };
  const pressed = (event: KeyboardEvent<HTMLElement>) => {
    // React bubbles keys of an open menu to its row although the menu is elsewhere in the document.
    if (!(event.target instanceof Node) || !event.currentTarget.contains(event.target)) return;
    const page = Math.max(
      1,
      Math.floor(((scroller.current?.clientHeight ?? 0) - HEADER_HEIGHT_PX) / height) - 1,
    );
    const to = moveInMatrix(event, current, { rows: rows.length, columns: last + 1, pageRows: page });
    if (!to) return;
    event.preventDefault();
    go(to);
  };
  // One listener for all cells, so that rows re-render only for their content.
  const changed = ({ target }: ChangeEvent<HTMLElement>) => {
    const place = readCellAddress(target);
    const group = place && columns[place.column - 1];
    const person = place && rows.at(place.row);
    if (!group || !person) return;
    const reason = reasons.get(group.id);
    if (reason === undefined) onChange((now) => toggleMembership(now, person, group.id));
    else announce(reason);
  };
  const actions = useMemo(
    () => ({
      setExactly: onSetExactly,
      undo: ({ id }: DirectoryRow) => onChange((now) => discardUserChanges(now, id)),
    }),
    [onChange, onSetExactly],
  );

  return (
    // Hears the keys of its cells, and of itself while a cell is still being drawn.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      ref={scroller}
      className="tbl-scroll matrix-scroll"
      tabIndex={-1}
      onKeyDown={pressed}
      data-scroll-restoration-id="Matrix"
    >
      <table
        // Cells take the focus one by one and can be changed in place: that is a grid (ARIA, "grid").
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role
        role="grid"
        className="tbl matrix"
        aria-label="People by groups"
        aria-rowcount={rows.length + 1}
        aria-colcount={last + 1}
      >
        <MatrixHead columns={columns} reasons={reasons} />
        {/* Handles events of its cells. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
        <tbody onFocus={focused} onChange={changed}>
          {items.map((item, index) => {
            const row = rows.at(item.index);
            return (
              <Fragment key={row?.id ?? `at ${item.index}`}>
                <Spacer height={item.start - (items[index - 1]?.end ?? 0)} />
                <MatrixRow
                  row={row}
                  index={item.index}
                  columns={columns}
                  reasons={reasons}
                  changes={row && pending.get(row.id)}
                  current={item.index === stop ? current.column : undefined}
                  actions={actions}
                />
              </Fragment>
            );
          })}
          <Spacer height={virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0)} />
        </tbody>
      </table>
    </div>
  );
}

function readCellAddress(element: Element): MatrixCell | undefined {
  const urlView = element.closest<HTMLElement>('[data-place]')?.dataset.place;
  const [row, column] = urlView?.split(':').map(Number) ?? [];
  return row === undefined || column === undefined ? undefined : { row, column };
}

function Spacer({ height }: { height: number }) {
  return height <= 0 ? null : <tr aria-hidden style={{ height }} />;
}

/**
 * Moves the focus to a cell: at once where it is drawn, for the next key must find it there, else as soon as its
 * person has been read. Meanwhile the grid itself has the focus, so that no key is lost.
 */
function useCellFocus(grid: RefObject<HTMLElement | null>): (to: MatrixCell) => boolean {
  const isMember = useRef<MatrixCell>(undefined);
  const focusOn = ({ row, column }: MatrixCell): boolean => {
    const place = grid.current?.querySelector<HTMLElement>(`[data-place="${row}:${column}"]`);
    const cell = place?.matches('td') ? place.querySelector<HTMLElement>('button') : place;
    cell?.focus({ preventScroll: true });
    cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    return cell !== null && cell !== undefined;
  };
  // Rows are rendered after the event; focus is not taken back from another element.
  useEffect(() => {
    if (!isMember.current) return;
    if (document.activeElement !== grid.current || focusOn(isMember.current)) isMember.current = undefined;
  });
  return (to) => {
    isMember.current = undefined;
    if (focusOn(to)) return true;
    isMember.current = to;
    grid.current?.focus({ preventScroll: true });
    return false;
  };
}

interface MatrixHeadProps {
  columns: readonly GroupInfoResponse[];
  reasons: ReadonlyMap<number, string>;
}

/** Group names, with a lock if the user may not change the members. */
function MatrixHead({ columns, reasons }: MatrixHeadProps) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" className="tbl-first matrix-person" aria-colindex={1}>
          Name
        </th>
        {columns.map(({ id, name }, at) => (
          <th key={id} scope="col" className="matrix-group" aria-colindex={at + 2} title={name}>
            <span>{name}</span>
            {reasons.has(id) && (
              <Tooltip text={reasons.get(id) ?? ''}>
                <span className="matrix-lock">
                  <Lock />
                  <span className="visually-hidden">{reasons.get(id)}</span>
                </span>
              </Tooltip>
            )}
          </th>
        ))}
        <th scope="col" className="matrix-menu" aria-colindex={columns.length + 2}>
          <span className="visually-hidden">Actions</span>
        </th>
      </tr>
    </thead>
  );
}

interface RowActions {
  setExactly: (person: DirectoryRow) => void;
  undo: (person: DirectoryRow) => void;
}

interface MatrixRowProps {
  /** Undefined while it is loading. */
  row: DirectoryRow | undefined;
  index: number;
  columns: readonly GroupInfoResponse[];
  reasons: ReadonlyMap<number, string>;
  /** Pending changes of this user by group id. */
  changes: ReadonlyMap<number, boolean> | undefined;
  /** Column with the keyboard focus, if it is in this row. */
  current: number | undefined;
  actions: RowActions;
}

/** Row of one user: a cell for each group, and a menu. */
function MatrixRowContent({
  row,
  index,
  columns,
  reasons,
  changes: wishes,
  current,
  actions: acts,
}: MatrixRowProps) {
  const stop = (column: number) => (current === column ? 0 : -1);
  const last = columns.length + 1;
  return (
    <tr className={cx('tbl-row', wishes && 'matrix-changed')} aria-rowindex={index + 2}>
      <th scope="row" className="tbl-first matrix-person" aria-colindex={1}>
        {row ? (
          <Link
            to="/users/$userId/groups"
            params={{ userId: row.id }}
            tabIndex={stop(0)}
            data-place={`${index}:0`}
            title={`${row.name}, ${row.email}`}
          >
            {row.name}
          </Link>
        ) : (
          <Skeleton width="70%" />
        )}
      </th>
      {columns.map(({ id, name }, at) => (
        <td key={id} className="matrix-cell" aria-colindex={at + 2}>
          {row && (
            <Cell
              place={`${index}:${at + 1}`}
              tabIndex={stop(at + 1)}
              label={`${row.name} in ${name}`}
              member={row.groups.includes(id)}
              isMember={wishes?.get(id)}
              reason={reasons.get(id)}
            />
          )}
        </td>
      ))}
      <td className="tbl-menu matrix-menu" aria-colindex={last + 1} data-place={`${index}:${last}`}>
        {row && (
          <RowMenu
            {...{ row, actions: acts, reasons }}
            pending={wishes !== undefined}
            tabIndex={stop(last)}
          />
        )}
      </td>
    </tr>
  );
}

/** Memoized: re-renders only if its own props change while the grid scrolls. */
const MatrixRow = memo(MatrixRowContent);

interface CellProps {
  place: string;
  tabIndex: 0 | -1;
  label: string;
  member: boolean;
  /** Target membership; undefined if nothing is pending. */
  isMember: boolean | undefined;
  reason: string | undefined;
}

/** Membership and its pending change, shown by icon and text, not by color alone. */
function Cell({ place, tabIndex, label, member, isMember: wanted, reason }: CellProps) {
  const noteId = useId();
  const Sign = wanted === undefined ? Check : wanted ? Plus : X;
  const after = wanted ?? member;
  const note = wanted === undefined ? reason : wanted ? 'Will be added' : 'Will be removed';
  return (
    <span className={cx('matrix-box', wanted === true && 'matrix-add', wanted === false && 'matrix-remove')}>
      <input
        type="checkbox"
        data-place={place}
        tabIndex={tabIndex}
        aria-label={label}
        aria-describedby={note === undefined ? undefined : noteId}
        aria-disabled={reason !== undefined || undefined}
        checked={after}
        readOnly
      />
      {(after || wanted !== undefined) && <Sign />}
      {note !== undefined && (
        <span id={noteId} hidden>
          {note}
        </span>
      )}
    </span>
  );
}

interface RowMenuProps extends Pick<MatrixRowProps, 'actions' | 'reasons'> {
  row: DirectoryRow;
  pending: boolean;
  tabIndex: 0 | -1;
}

function RowMenu({ row, actions: acts, pending, tabIndex }: RowMenuProps) {
  const router = useRouter();
  return (
    <MenuButton
      label={`Actions for ${row.name}`}
      size="small"
      tabIndex={tabIndex}
      items={() => [
        {
          label: 'Set exactly…',
          hint: 'Choose the exact groups',
          icon: ListChecks,
          onSelect: () => acts.setExactly(row),
        },
        {
          label: 'Undo changes',
          icon: Undo2,
          disabledReason: pending ? undefined : 'Nothing is pending for them',
          onSelect: () => acts.undo(row),
        },
        'line',
        {
          label: 'Compare with…',
          icon: Users,
          onSelect: () => void router.navigate({ to: '/groups/compare', search: { a: row.id } }),
        },
        {
          label: 'Open',
          icon: UserRound,
          onSelect: () => void router.navigate({ to: '/users/$userId', params: { userId: row.id } }),
        },
      ]}
    />
  );
}
