import { Link, useRouter } from '@tanstack/react-router';
import { Check, ListChecks, Plus, Undo2, UserRound, Users, X } from 'lucide-react';
import { memo, useId } from 'react';
import type { GroupInfoResponse } from '../../../../contract/generated/types.gen.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import { cx } from '../../../ui/cx.ts';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';

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
export const MatrixRow = memo(MatrixRowContent);

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
