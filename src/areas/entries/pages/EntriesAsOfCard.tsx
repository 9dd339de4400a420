import { History } from 'lucide-react';
import { useMemo } from 'react';
import type { QueryError } from '../../../../contract/rules/query/condition.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { EMPTY_CHANGE_SET } from '../editing/change-set.ts';
import { EntryGrid } from '../grid/EntryGrid.tsx';
import type { ColumnActions } from '../grid/GridHead.tsx';
import type { AsOfView } from '../history/as-of-view.ts';
import type { useRowsAsOf } from '../history/use-rows-as-of.ts';
import type { EntryColumn } from '../model/columns.ts';
import { useEntryType } from '../model/use-entry-type.ts';
import { useTimeZone } from '../model/zone.ts';
import { StaleRows, InvalidFilter } from './RowsNotices.tsx';
import '../../../ui/table/table.css';

interface EntriesAsOfCardProps extends ColumnActions {
  /** Number of frozen columns, including the key column. */
  frozen: number;
  view: AsOfView;
  result: ReturnType<typeof useRowsAsOf>;
  /** Errors of the filter in the URL; undefined if it is valid. */
  errors: readonly QueryError[] | undefined;
  onClear: () => void;
}

const REFUSAL = 'Past values cannot be edited. Open the entry to restore them';
const FUTURE_ERROR = 'must not be in the future';

/** Text of an error, with an instruction if the timestamp is in the future. */
const formatError = ({ message, fields }: ServiceError): string =>
  fields.some((error) => error.path === 'asOf' && error.message === FUTURE_ERROR)
    ? 'This date is in the future. Choose one in the past.'
    : message;

/** Additional width of the key column in pixels, for the badge beside the name. */
const CHANGE_BADGE_WIDTH = 84;

const widenKeyColumn = (columns: readonly EntryColumn[], by: number): readonly EntryColumn[] =>
  columns.map((column, at) => (at === 0 ? { ...column, width: column.width + by } : column));

/** Entries as of a past time with the states of the list: no time selected, loading, loaded, failed, empty. */
export function EntriesAsOfCard(props: EntriesAsOfCardProps) {
  const { columns, result, view } = props;
  const { type } = useEntryType();
  const { name: zone } = useTimeZone();
  const rows = result.list?.rows;
  return (
    <section className="tbl-card" aria-label={`${type.pluralName} as they were`}>
      {rows && !props.errors && view.asOf !== undefined && !result.error && (
        <StaleRows rows={rows} onRetry={result.refetch} isPending={result.isFetching} />
      )}
      <Content {...props} />
      <footer className="tbl-footer">
        <span>
          {pluralize(columns.length, 'column', 'columns')} displayed. Dates in {zone}
        </span>
      </footer>
    </section>
  );
}

function useReadOnlyEditing() {
  const { schema, type, fields } = useEntryType();
  const { name: zone } = useTimeZone();
  return useMemo(
    () => ({ typeId: type.id, schema, fields, changes: EMPTY_CHANGE_SET, refusal: REFUSAL, zone }),
    [type.id, schema, fields, zone],
  );
}

function Content(props: EntriesAsOfCardProps) {
  const { view, result, errors, onClear, onResize } = props;
  const { type, fields } = useEntryType();
  const editing = useReadOnlyEditing();
  const columns = useMemo(() => widenKeyColumn(props.columns, CHANGE_BADGE_WIDTH), [props.columns]);
  const key = fields.find(({ isKey }) => isKey);
  const { list, error } = result;
  const isFiltered = view.q !== '' || view.query !== undefined || view.only !== undefined;
  if (view.asOf === undefined)
    return (
      <EmptyState icon={History} title="No date selected">
        Choose a date and time above to see the list as it was then, with its differences from today.
      </EmptyState>
    );
  if (errors) return <InvalidFilter {...{ errors, onClear }} />;
  if (error)
    return (
      <ErrorState
        title={`${type.pluralName} of that time could not be loaded`}
        onRetry={result.refetch}
        retrying={result.isFetching}
        requestId={error.requestId}
      >
        {formatError(error)}
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
        title={isFiltered ? 'No matching entries' : `There were no ${type.pluralName} yet`}
        actions={isFiltered && <Button onClick={onClear}>Clear search and filter</Button>}
      >
        {view.only === undefined
          ? `No entry ${isFiltered ? 'matched' : 'existed'} at that time. ${pluralize(list.counts.added, 'entry was', 'entries were')} added since.`
          : `No matching entry was ${view.only} since.`}
      </EmptyState>
    );
  return (
    <EntryGrid
      {...props}
      label={`${type.pluralName} as they were`}
      type={type.apiName}
      rows={list.rows}
      columns={columns}
      isStale={result.isStale}
      editing={editing}
      past={list.comparison}
      onResize={(name, width) => onResize(name, name === key?.apiName ? width - CHANGE_BADGE_WIDTH : width)}
    />
  );
}
