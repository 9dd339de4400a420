import { History } from 'lucide-react';
import { useMemo } from 'react';
import type { QueryFault } from '../../../../contract/rules/query/tree.ts';
import type { ServiceError } from '../../../api/errors.ts';
import type { EntryColumn } from '../model/columns.ts';
import { NO_CHANGES } from '../editing/changes.ts';
import { EntryGrid } from '../grid/EntryGrid.tsx';
import type { EntryGridProps } from '../grid/EntryGrid.tsx';
import type { PastView } from '../history/past-view.ts';
import type { usePast } from '../history/use-past.ts';
import { useType } from '../model/use-type.ts';
import { useZone } from '../model/zone.ts';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { StaleRows } from './StaleRows.tsx';
import { Unaskable } from './Unaskable.tsx';
import '../../../ui/table/table.css';

interface PastCardProps extends Pick<
  EntryGridProps,
  'columns' | 'sort' | 'frozen' | 'onSort' | 'onResize' | 'onPlace'
> {
  view: PastView;
  answer: ReturnType<typeof usePast>;
  /** Why the query of the address cannot be asked. */
  faults: readonly QueryFault[] | undefined;
  onClear: () => void;
}

const REFUSAL = 'This is the past: open the entry to restore values';
const AHEAD = 'lies ahead';

/** Why the list cannot be told, in words: of a moment that lies ahead nothing is known. */
const whyNot = ({ message, fields }: ServiceError): string =>
  fields.some((fault) => fault.path === 'asOf' && fault.message === AHEAD)
    ? 'This moment lies ahead. Choose one that is past.'
    : message;

/** What became of an entry stands beside its name. */
const FATE_WIDTH = 84;

const widened = (columns: readonly EntryColumn[], by: number): readonly EntryColumn[] =>
  columns.map((column, at) => (at === 0 ? { ...column, width: column.width + by } : column));

/** A list as it was in its states: no moment yet, waiting, there, refused, none that match. */
export function PastCard(props: PastCardProps) {
  const { columns, answer, view } = props;
  const { type } = useType();
  const { name: zone } = useZone();
  const rows = answer.list?.rows;
  return (
    <section className="tbl-card" aria-label={`${type.pluralName} as they were`}>
      {rows && !props.faults && view.asOf !== undefined && !answer.error && (
        <StaleRows rows={rows} onAgain={answer.refetch} pending={answer.isFetching} />
      )}
      <Content {...props} />
      <footer className="tbl-footer">
        <span>
          {counted(columns.length, 'column', 'columns')} shown. Dates are in {zone}
        </span>
      </footer>
    </section>
  );
}

function usePastEditing() {
  const { schema, type, fields } = useType();
  const { name: zone } = useZone();
  return useMemo(
    () => ({ typeId: type.id, schema, fields, changes: NO_CHANGES, refusal: REFUSAL, zone }),
    [type.id, schema, fields, zone],
  );
}

function Content(props: PastCardProps) {
  const { view, answer, faults, onClear, onResize } = props;
  const { type, fields } = useType();
  const editing = usePastEditing();
  const columns = useMemo(() => widened(props.columns, FATE_WIDTH), [props.columns]);
  const key = fields.find(({ isKey }) => isKey);
  const { list, error } = answer;
  const narrowed = view.q !== '' || view.query !== undefined || view.only !== undefined;
  if (view.asOf === undefined)
    return (
      <EmptyState icon={History} title="No moment is chosen">
        Choose above when the list is to be told: it is shown as it was then, with what is different today.
      </EmptyState>
    );
  if (faults) return <Unaskable {...{ faults, onClear }} />;
  if (error)
    return (
      <ErrorState
        title={`${type.pluralName} cannot be told as they were then`}
        onRetry={answer.refetch}
        retrying={answer.isFetching}
        requestId={error.requestId}
      >
        {whyNot(error)}
      </ErrorState>
    );
  if (!list)
    return (
      <div className="ent-waiting">
        <SkeletonRows rows={12} />
      </div>
    );
  if (list.rows.total === 0)
    return (
      <EmptyState
        icon={History}
        title={narrowed ? 'Nothing to show of this moment' : `There were no ${type.pluralName} yet`}
        actions={narrowed && <Button onClick={onClear}>Clear search and filter</Button>}
      >
        {view.only === undefined
          ? `At this moment no entry ${narrowed ? 'had everything that is asked for' : 'was there'}. ${counted(list.counts.added, 'one was', 'were')} added since.`
          : `No entry that is asked for was ${view.only} since.`}
      </EmptyState>
    );
  return (
    <EntryGrid
      {...props}
      label={`${type.pluralName} as they were`}
      type={type.apiName}
      rows={list.rows}
      columns={columns}
      stale={answer.stale}
      editing={editing}
      past={list.marks}
      onResize={(name, width) => onResize(name, name === key?.apiName ? width - FATE_WIDTH : width)}
    />
  );
}
