import type { LucideIcon } from 'lucide-react';
import type { QueryFault } from '../../../../contract/rules/query/tree.ts';
import type { EntryTypeVm } from '../../../api/generated/types.gen.ts';
import type { EntryColumn } from '../../../entries/columns.ts';
import { NewEntry } from '../../../entries/editing/NewEntry.tsx';
import { StagedBar } from '../../../entries/editing/StagedBar.tsx';
import { DeleteChosen } from '../../../entries/grid/DeleteChosen.tsx';
import { EntryGrid } from '../../../entries/grid/EntryGrid.tsx';
import { GridFoot } from '../../../entries/grid/GridFoot.tsx';
import { newIn } from '../../../entries/grid/new-rows.ts';
import type { Editing } from '../../../entries/grid/sheet.ts';
import type { PointedCell } from '../../../entries/grid/use-pointed.ts';
import { useEditing } from '../../../entries/grid/use-editing.ts';
import { MergeChosen } from '../../../entries/merge/MergeChosen.tsx';
import type { useRows } from '../../../entries/use-rows.ts';
import type { Pointed } from '../../../entries/view.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { StaleRows } from './-StaleRows.tsx';
import { Unaskable } from './-Unaskable.tsx';
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
