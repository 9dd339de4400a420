import { Link, useRouter } from '@tanstack/react-router';
import { Check, ListChecks, Plus, Undo2, UserRound, Users, X } from 'lucide-react';
import { memo, useId } from 'react';
import type { GroupInfoResponse } from '../../../api/generated/types.gen.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { cx } from '../../../ui/cx.ts';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';

interface RowActs {
  setExactly: (person: DirectoryRow) => void;
  undo: (person: DirectoryRow) => void;
}

interface MatrixRowProps {
  /** Undefined while it is being fetched. */
  row: DirectoryRow | undefined;
  index: number;
  columns: readonly GroupInfoResponse[];
  reasons: ReadonlyMap<number, string>;
  /** What is pending for this person. */
  wishes: ReadonlyMap<number, boolean> | undefined;
  /** The column that the keyboard is on, where it is on this row. */
  current: number | undefined;
  acts: RowActs;
}

/** One person: a cell for each group, then what can be done with them. */
function Row({ row, index, columns, reasons, wishes, current, acts }: MatrixRowProps) {
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
              wanted={wishes?.get(id)}
              reason={reasons.get(id)}
            />
          )}
        </td>
      ))}
      <td className="tbl-menu matrix-menu" aria-colindex={last + 1} data-place={`${index}:${last}`}>
        {row && <RowMenu {...{ row, acts, reasons }} pending={wishes !== undefined} tabIndex={stop(last)} />}
      </td>
    </tr>
  );
}

/** Drawn again only when its own person, place or changes differ, however fast the grid scrolls. */
export const MatrixRow = memo(Row);

interface CellProps {
  place: string;
  tabIndex: 0 | -1;
  label: string;
  member: boolean;
  /** Whether they are to be in; undefined where nothing is pending. */
  wanted: boolean | undefined;
  reason: string | undefined;
}

/** Member, not a member, to be added, to be removed: told by sign and words, not by colour alone. */
function Cell({ place, tabIndex, label, member, wanted, reason }: CellProps) {
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

interface RowMenuProps extends Pick<MatrixRowProps, 'acts' | 'reasons'> {
  row: DirectoryRow;
  pending: boolean;
  tabIndex: 0 | -1;
}

function RowMenu({ row, acts, pending, tabIndex }: RowMenuProps) {
  const router = useRouter();
  return (
    <MenuButton
      label={`Actions for ${row.name}`}
      size="small"
      tabIndex={tabIndex}
      items={() => [
        {
          label: 'Set exactly…',
          hint: 'Choose the groups; the rest is worked out',
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
