import type { LucideIcon } from 'lucide-react';
import { useNavigate } from '@tanstack/react-router';
import { GitMerge, Trash2 } from 'lucide-react';
import type { QueryFault } from '../../../../contract/rules/query/tree.ts';
import type { EntryTypeVm } from '../../../api/generated/types.gen.ts';
import type { EntryColumn } from '../model/columns.ts';
import { NewEntry } from '../editing/NewEntry.tsx';
import { StagedBar } from '../editing/StagedBar.tsx';
import { EntryGrid } from '../grid/EntryGrid.tsx';
import { GridFoot } from '../grid/GridFoot.tsx';
import { newIn } from '../grid/new-rows.ts';
import type { Editing } from '../grid/sheet.ts';
import type { PointedCell } from '../grid/use-pointed.ts';
import { useEditing } from '../grid/use-editing.ts';
import type { useRows } from '../model/use-rows.ts';
import type { Pointed } from '../model/view.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { StaleRows } from './StaleRows.tsx';
import { Unaskable } from './Unaskable.tsx';
import { can, useAllowed, useSession } from '../../../api/session.ts';
import { count } from '../../../lib/numbers.ts';
import { useChosenRows, useSelectedRows } from '../bulk/chosen.ts';
import { rowsAtHand } from '../grid/rows-between.ts';
import { MOST_AT_ONCE, writeMergeView } from '../merge/merge-view.ts';
import { MOST_DELETED, useDeleteRows } from '../grid/use-delete-rows.ts';
import '../../../ui/table/table.css';

interface GridCardProps {
  type: EntryTypeVm;
  columns: readonly EntryColumn[];
  /** Why the query of the address cannot be asked. */
  faults: readonly QueryFault[] | undefined;
  answer: ReturnType<typeof useRows>;
  sort: { field: string; descending: boolean };
  narrowed: boolean;
  /** What the address points at. */
  pointed: PointedCell | undefined;
  linkTo: (pointed: Pointed) => string;
  /** So many columns stay at the side. */
  frozen: number;
  icon: LucideIcon;
  onSort: (name: string) => void;
  onClear: () => void;
  onAgain: () => void;
  onResize: (name: string, width: number) => void;
  onPlace: (name: string, at: number) => void;
}

/** The entries in their states: waiting, there, refused, none yet, none that match. */
export function GridCard(props: GridCardProps) {
  const { type, columns, answer } = props;
  const editing = useEditing(columns);
  const { rows, error } = answer;
  return (
    <section className="tbl-card" aria-label={type.pluralName}>
      {rows && <StaleRows {...{ rows, error }} onAgain={props.onAgain} pending={answer.isFetching} />}
      <Content {...props} editing={editing} />
      <footer className="tbl-footer">
        <GridFoot {...{ columns, editing }} />
        <span className="ent-foot">
          <DeleteChosen {...{ editing, columns }} />
          <MergeChosen type={type.apiName} />
          <StagedBar typeId={type.id} />
        </span>
      </footer>
    </section>
  );
}

function Content(props: GridCardProps & { editing: Editing }) {
  const { type, columns, faults, answer, narrowed, icon, onClear, onAgain } = props;
  const { rows, error, stale } = answer;
  if (faults) return <Unaskable {...{ faults, onClear }} />;
  if (!rows && error)
    return (
      <ErrorState
        title={`${type.pluralName} could not be read`}
        onRetry={onAgain}
        retrying={answer.isFetching}
        requestId={error.requestId}
      >
        {error.message.startsWith('Field with')
          ? `${error.message}. The schema was changed since this page was opened; trying again reads it anew.`
          : [error.message, ...error.fields.map(({ message }) => message)].join('. ')}
      </ErrorState>
    );
  if (!rows)
    return (
      <div className="ent-waiting">
        <SkeletonRows rows={12} />
      </div>
    );
  if (rows.total === 0 && newIn(props.editing.changes).length === 0)
    return narrowed ? (
      <EmptyState
        icon={icon}
        title="Nothing matches"
        actions={<Button onClick={onClear}>Clear search and filter</Button>}
      >
        No entry has everything that is asked for.
      </EmptyState>
    ) : (
      <EmptyState
        icon={icon}
        title={`There are no ${type.pluralName} yet`}
        actions={<NewEntry type={type} schema={props.editing.schema} />}
      >
        Programs write entries through the interface too; they appear here as soon as they are stored.
      </EmptyState>
    );
  return (
    <EntryGrid
      label={type.pluralName}
      type={type.apiName}
      rows={rows}
      columns={columns}
      pointed={stale ? undefined : props.pointed}
      linkTo={props.linkTo}
      frozen={props.frozen}
      sort={props.sort}
      onSort={props.onSort}
      onResize={props.onResize}
      onPlace={props.onPlace}
      stale={stale}
      editing={props.editing}
    />
  );
}

/** Leads the few rows that are selected in the grid to where they become one; for whoever may do that. */
function MergeChosen({ type }: { type: string }) {
  const { allowed } = useAllowed('mergeEntries');
  const session = useSession();
  const navigate = useNavigate();
  const chosen = useChosenRows();
  if (!allowed || !can(session, ['Delete Data']) || !chosen) return null;
  const number = chosen.bottom - chosen.top + 1;
  if (number > MOST_AT_ONCE) return null;
  const merge = () => {
    // Few rows that somebody has just selected are there.
    const ids = rowsAtHand(chosen.rows, chosen.top, chosen.bottom, [])?.map(({ EntryId }) => EntryId) ?? [];
    void navigate({
      to: '/entries/$type/merge',
      params: { type },
      search: writeMergeView({ ids, stays: undefined }),
    });
  };
  return (
    <Button size="small" icon={GitMerge} onClick={merge}>
      Merge {count(number)} selected
    </Button>
  );
}

/** Stages that the rows that are selected in the grid go. */
function DeleteChosen({ editing, columns }: { editing: Editing; columns: readonly EntryColumn[] }) {
  const { reason, pending, deleteRows } = useDeleteRows(editing.typeId, columns);
  const chosen = useSelectedRows();
  if (!chosen) return null;
  const { rows, top, bottom } = chosen;
  const number = bottom - top + 1;
  const tooMany =
    number > MOST_DELETED ? `At most ${count(MOST_DELETED)} rows are deleted at once` : undefined;
  const isGoing =
    tooMany === undefined &&
    Array.from({ length: number }, (_, at) => rows.at(top + at)).every(
      (row) => row && editing.changes.deletions.has(row.EntryId),
    );
  return (
    <Button
      size="small"
      icon={Trash2}
      pending={pending}
      disabledReason={reason ?? tooMany}
      onClick={() => void deleteRows(rows, chosen)}
    >
      {isGoing ? 'Keep' : 'Delete'} {count(number)} selected
    </Button>
  );
}
