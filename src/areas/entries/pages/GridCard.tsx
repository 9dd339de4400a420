import { Link, useNavigate } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import { GitMerge, Trash2 } from 'lucide-react';
import type { EntryTypeVm } from '../../../../contract/generated/types.gen.ts';
import type { QueryError } from '../../../../contract/rules/query/condition.ts';
import { hasAnyCapability, usePermission, useSession } from '../../../api/session.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { endSentence } from '../../../lib/text/sentences.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { keepFocus } from '../../../ui/keep-focus.ts';
import { useSelectedStoredRows, useSelectedRows } from '../bulk/selected-rows.ts';
import { NewEntryButton } from '../editing/editor/NewEntryButton.tsx';
import type { GridEditing } from '../editing/grid-editing.ts';
import { useGridEditing } from '../editing/grid-editing.ts';
import { getNewEntryIds } from '../editing/new-rows.ts';
import { StagedBar } from '../editing/review/StagedBar.tsx';
import { EntryGrid } from '../grid/EntryGrid.tsx';
import { GridFoot } from '../grid/GridFoot.tsx';
import type { ColumnActions } from '../grid/GridHead.tsx';
import type { TargetCell } from '../grid/use-cell-focus.ts';
import { MAX_DELETED_ROWS, useDeleteRows } from '../grid/use-delete-rows.ts';
import { MAX_MERGE_ENTRIES, formatMergeView } from '../merge/merge-view.ts';
import type { EntryColumn } from '../model/columns.ts';
import type { useEntryRows } from '../model/entry-rows.ts';
import { getFullRange } from '../model/full-values.ts';
import type { CellAddress } from '../views/view.ts';
import { StaleRows, InvalidFilter } from './RowsNotices.tsx';
import '../../../ui/table/table.css';

interface GridCardProps extends ColumnActions {
  type: EntryTypeVm;
  /** Errors of the filter in the URL; undefined if it is valid. */
  errors: readonly QueryError[] | undefined;
  result: ReturnType<typeof useEntryRows>;
  isFiltered: boolean;
  /** The row or cell that the URL points at. */
  target: TargetCell | undefined;
  linkTo: (address: CellAddress) => string;
  /** Number of frozen columns, including the key column. */
  frozen: number;
  icon: LucideIcon;
  onClear: () => void;
  onReload: () => void;
}

/** The grid with the states of the list: loading, loaded, failed, empty, no match. */
export function GridCard(props: GridCardProps) {
  const { type, columns, result } = props;
  const editing = useGridEditing(columns);
  const { rows, error } = result;
  return (
    <section className="tbl-card" aria-label={type.pluralName}>
      {rows && <StaleRows {...{ rows, error }} onRetry={props.onReload} isPending={result.isFetching} />}
      <Content {...props} editing={editing} />
      <footer className="tbl-footer">
        <GridFoot {...{ columns, editing }} />
        <span className="ent-foot">
          <DeleteSelected {...{ editing, columns }} />
          <MergeSelected type={type.apiName} />
          <StagedBar typeId={type.id} />
        </span>
      </footer>
    </section>
  );
}

function Content(props: GridCardProps & { editing: GridEditing }) {
  const { type, columns, errors, result, isFiltered, icon, onClear, onReload } = props;
  const { rows, error, isStale } = result;
  if (errors) return <InvalidFilter {...{ errors, onClear }} />;
  if (!rows && error)
    return (
      <ErrorState
        title={`${type.pluralName} could not be loaded`}
        onRetry={onReload}
        retrying={result.isFetching}
        requestId={error.requestId}
      >
        {error.message.startsWith('Field with')
          ? `${endSentence(error.message)} The schema was changed since this page was opened; try again to reload it.`
          : [error.message, ...error.fields.map(({ message }) => message)].join('. ')}
      </ErrorState>
    );
  if (!rows)
    return (
      <div className="ent-waiting">
        <SkeletonRows rows={12} />
      </div>
    );
  if (rows.total === 0 && getNewEntryIds(props.editing.changes).length === 0)
    return isFiltered ? (
      <EmptyState
        icon={icon}
        title="Nothing matches"
        actions={
          <Button ref={keepFocus} onClick={onClear}>
            Clear search and filter
          </Button>
        }
      >
        No entry matches the search and the filter.
      </EmptyState>
    ) : (
      <EmptyState
        icon={icon}
        title={`There are no ${type.pluralName} yet`}
        actions={
          <>
            <Link to="/entries/$type/schema" params={{ type: type.apiName }} className={buttonClass()}>
              Edit schema
            </Link>
            <Link to="/entries/$type/import" params={{ type: type.apiName }} className={buttonClass()}>
              Import
            </Link>
            <NewEntryButton type={type} />
          </>
        }
      >
        Define the fields, import a file, or create the first entry. Entries created over the API appear here
        as well.
      </EmptyState>
    );
  return (
    <EntryGrid
      label={type.pluralName}
      type={type.apiName}
      rows={rows}
      columns={columns}
      target={isStale ? undefined : props.target}
      linkTo={props.linkTo}
      frozen={props.frozen}
      sort={props.sort}
      onSort={props.onSort}
      onResize={props.onResize}
      onMoveColumn={props.onMoveColumn}
      isStale={isStale}
      editing={props.editing}
    />
  );
}

/** Button that opens the merge page with the selected rows, for users who may merge entries. */
function MergeSelected({ type }: { type: string }) {
  const { allowed } = usePermission('mergeEntries');
  const session = useSession();
  const navigate = useNavigate();
  const selection = useSelectedStoredRows();
  if (!allowed || !hasAnyCapability(session, ['Delete Data']) || !selection) return null;
  const count = selection.bottom - selection.top + 1;
  if (count > MAX_MERGE_ENTRIES) return null;
  const merge = () => {
    // A few rows selected just now are loaded.
    const ids =
      getFullRange(selection.rows, selection.top, selection.bottom, [])?.map(({ EntryId }) => EntryId) ?? [];
    void navigate({
      to: '/entries/$type/merge',
      params: { type },
      search: formatMergeView({ ids, targetId: undefined }),
    });
  };
  return (
    <Button size="small" icon={GitMerge} onClick={merge}>
      Merge {formatNumber(count)} selected
    </Button>
  );
}

/** Button that stages deletions of the selected rows, or unstages them if all are staged. */
function DeleteSelected({ editing, columns }: { editing: GridEditing; columns: readonly EntryColumn[] }) {
  const { reason, pending, deleteRows } = useDeleteRows(editing.typeId, columns);
  const selection = useSelectedRows();
  if (!selection) return null;
  const { rows, top, bottom } = selection;
  const count = bottom - top + 1;
  const limitReason =
    count > MAX_DELETED_ROWS
      ? `At most ${formatNumber(MAX_DELETED_ROWS)} rows can be deleted at once`
      : undefined;
  const areAllStaged =
    limitReason === undefined &&
    Array.from({ length: count }, (_, at) => rows.at(top + at)).every(
      (row) => row && editing.changes.deletions.has(row.EntryId),
    );
  return (
    <Button
      size="small"
      icon={Trash2}
      pending={pending}
      disabledReason={reason ?? limitReason}
      onClick={() => void deleteRows(rows, selection)}
    >
      {areAllStaged ? 'Keep' : 'Delete'} {formatNumber(count)} selected
    </Button>
  );
}
