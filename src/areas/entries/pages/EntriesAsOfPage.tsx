import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Download, History } from 'lucide-react';
import { useDeferredValue, useMemo } from 'react';
import type { EntryTypeVm } from '../../../../contract/generated/types.gen.ts';
import type { Condition, QueryError } from '../../../../contract/rules/query/condition.ts';
import { ServiceError } from '../../../api/errors.ts';
import { usePermission } from '../../../api/session.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { keepFocus } from '../../../ui/keep-focus.ts';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { TypeLabel } from '../../../ui/layout/TypeTile.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { useDebouncedSearch } from '../../../ui/table/use-debounced-search.ts';
import { openExport } from '../../export/index.ts';
import { EMPTY_CHANGE_SET } from '../editing/change-set.ts';
import { createEntriesExport } from '../export/entries-export.ts';
import { parseFilter } from '../filter/draft.ts';
import { EntryGrid } from '../grid/EntryGrid.tsx';
import type { ColumnActions } from '../grid/GridHead.tsx';
import { parseAsOfView, formatAsOfView } from '../history/as-of-view.ts';
import type { AsOfView } from '../history/as-of-view.ts';
import { AsOfBar } from '../history/AsOfBar.tsx';
import { useRowsAsOf } from '../history/use-rows-as-of.ts';
import {
  getVisibleColumns,
  dropColumn,
  DEFAULT_COLUMN_LAYOUT,
  saveColumnLayout,
  useColumnLayout,
} from '../model/columns.ts';
import type { ColumnLayout, EntryColumn } from '../model/columns.ts';
import type { Field } from '../model/schema.ts';
import { useEntryType } from '../model/use-entry-type.ts';
import { useShowsAllZones, useTimeZone } from '../model/zone.ts';
import { buildRowQuery, parseSort } from '../views/row-query.ts';
import { getColumnLayoutKey } from '../views/saved-view.ts';
import { useViews } from '../views/use-views.ts';
import { formatView } from '../views/view.ts';
import { ColumnTools } from './ColumnTools.tsx';
import { FilterChips, useFilterText } from './FilterChips.tsx';
import { StaleRows, InvalidFilter } from './RowsNotices.tsx';
import './entries.css';
import '../../../ui/table/table.css';

const route = getRouteApi('/_app/entries/$type/past');

/** Page of the entries of a type as of a past time, compared with today. */
export function EntriesAsOfPage() {
  const { allowed, reason } = usePermission('queryRowsAsOf');
  if (!allowed) throw new ServiceError(403, reason);
  return <EntryListAsOf />;
}

function useAsOfView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view = useMemo(() => parseAsOfView(search), [search]);
  /** Changes parts of the view of the current URL: as a history entry that Back undoes, or in place (`replace`). */
  const show = (next: Partial<AsOfView>, replace = false) =>
    navigate({
      to: '.',
      search: (now) => formatAsOfView({ ...parseAsOfView(now), ...next }),
      replace,
    });
  return { view, show, navigate };
}

/** The columns of the current list: those of the saved view with its unsaved changes. */
function useColumns(savedViewId: number | undefined) {
  const { type, fields } = useEntryType();
  const { views } = useViews(type.id);
  const view = views.find(({ id }) => id === savedViewId);
  const layoutKey = getColumnLayoutKey(type.id, view?.id);
  const layout = useColumnLayout(layoutKey) ?? view?.columns ?? DEFAULT_COLUMN_LAYOUT;
  const showsAllZones = useShowsAllZones();
  const columns = useMemo(
    () => getVisibleColumns(fields, layout, showsAllZones),
    [fields, layout, showsAllZones],
  );
  return { layout, columns, saveLayout: (next: ColumnLayout) => saveColumnLayout(layoutKey, next) };
}

function EntryListAsOf() {
  const { schema, type, fields } = useEntryType();
  const { view, show, navigate } = useAsOfView();
  const { layout, columns, saveLayout } = useColumns(view.savedViewId);
  const key = fields.find(({ isKey }) => isKey);
  const { q, type: setSearchText, settle } = useDebouncedSearch(view.q, (next) => show({ q: next }, true));
  const deferredSearchText = useDeferredValue(view.q);
  const { condition, errors } = useMemo(() => parseFilter(view.query, fields), [view.query, fields]);
  const sort = useMemo(() => parseSort(view.sort, fields), [view.sort, fields]);
  // As one text, so that the query is the same while the same columns are visible.
  const columnNames = columns.map(({ field }) => field.apiName).join('\n');
  const rowQuery = useMemo(
    () =>
      buildRowQuery({ fields, columnNames: columnNames.split('\n'), condition, q: deferredSearchText, sort }),
    [fields, columnNames, condition, deferredSearchText, sort],
  );
  const result = useRowsAsOf(type.id, rowQuery, view, condition !== undefined);
  const list = view.asOf === undefined ? undefined : result.list;
  const showToday = () =>
    void navigate({
      to: '/entries/$type',
      params: { type: type.apiName },
      search: formatView(view),
    });
  const sortBy = (name: string) =>
    void show({ sort: sort.field === name && !sort.descending ? `-${name}` : name });
  return (
    <Page
      fill
      breadcrumbs={<Breadcrumbs />}
      title={
        <TypeLabel type={type} size="medium">
          {type.pluralName} as they were
        </TypeLabel>
      }
      meta={
        <span aria-live="polite">
          {list && view.only === undefined && formatTotal(list.rows.total, view.withAdded)}
          {list && view.only !== undefined && `${formatNumber(list.rows.total)} ${view.only} since`}
        </span>
      }
      actions={<ExportButton {...{ type, fields, columns, view, condition, result }} />}
    >
      <AsOfBar
        {...{ view }}
        typeId={type.id}
        counts={list?.counts}
        onShow={(next) => void show(next)}
        onToday={showToday}
      />
      <TableBar tools={<ColumnTools {...{ fields, layout, sort }} onSort={sortBy} onChange={saveLayout} />}>
        <SearchField
          label={`Search ${type.pluralName}`}
          placeholder={key ? `${key.name} contains` : 'Search'}
          value={q}
          onChange={setSearchText}
          onBlur={settle}
        />
        <FilterChips
          {...{ condition, fields, schema, errors }}
          onChange={(query, isStep) => void show({ query }, !isStep)}
        />
      </TableBar>
      <EntriesAsOfCard
        {...{ view, result, columns, errors, sort }}
        frozen={layout.frozen}
        onSort={sortBy}
        onClear={() => void show({ q: '', query: undefined, only: undefined })}
        onResize={(name, width) => saveLayout({ ...layout, widths: { ...layout.widths, [name]: width } })}
        onMoveColumn={(name, target) => saveLayout(dropColumn(fields, layout, name, target))}
      />
    </Page>
  );
}

const formatTotal = (total: number, withAdded: boolean): string =>
  withAdded
    ? `${pluralize(total, 'entry', 'entries')} then or now`
    : pluralize(total, 'entry then', 'entries then');

interface ExportButtonProps {
  type: EntryTypeVm;
  fields: readonly Field[];
  columns: readonly EntryColumn[];
  view: AsOfView;
  condition: Condition | undefined;
  result: ReturnType<typeof useRowsAsOf>;
}

/** Exports the list as of the selected time; each row states the time and its differences from today. */
function ExportButton({ type, fields, columns, view, condition, result }: ExportButtonProps) {
  const { reason } = usePermission('startEntryExport');
  const client = useQueryClient();
  const zone = useTimeZone();
  const filter = useFilterText(view, condition);
  const { asOf } = view;
  const { list, query, error, isStale } = result;
  const total = list?.rows.total;
  const disabledReason =
    asOf === undefined
      ? 'Choose a date first'
      : error
        ? 'The list could not be loaded'
        : total === undefined || isStale
          ? 'The list is still loading'
          : total === 0
            ? 'Nothing matches'
            : undefined;
  const open = () => {
    if (asOf === undefined || total === undefined) return;
    const description = [describeAsOf(asOf, view), ...(filter === undefined ? [] : [filter])].join(' · ');
    const request = { type, fields, columns: columns.map(({ field }) => field), query, total };
    openExport(client, () =>
      createEntriesExport({ ...request, filter: description }, [zone.name, 'UTC', zone.site, zone.own]),
    );
  };
  return (
    <Button icon={Download} disabledReason={reason ?? disabledReason} onClick={open}>
      Export
    </Button>
  );
}

/** Describes a list as of a past time, for the file name and the file. */
const describeAsOf = (asOf: string, { only, withAdded }: Pick<AsOfView, 'only' | 'withAdded'>): string =>
  [
    `As of ${asOf.slice(0, 19).replace('T', ' ')} UTC`,
    ...(only ? [`Only ${only} since`] : []),
    ...(withAdded && !only ? ['Including entries added since'] : []),
  ].join(' · ');

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
function EntriesAsOfCard(props: EntriesAsOfCardProps) {
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
        actions={
          isFiltered && (
            <Button ref={keepFocus} onClick={onClear}>
              Clear search and filter
            </Button>
          )
        }
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
