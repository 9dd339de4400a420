import { Link, getRouteApi, useRouter } from '@tanstack/react-router';
import { Braces, ListTree, RefreshCw, Table2, History, PencilLine } from 'lucide-react';
import { Suspense, useDeferredValue, useMemo, useState, useEffect, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { usePermission } from '../../../api/session.ts';
import { DataAge } from '../../../app/freshness/DataAge.tsx';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { TypeLabel } from '../../../ui/layout/TypeTile.tsx';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { useDebouncedSearch } from '../../../ui/table/use-debounced-search.ts';
import { toast } from '../../../ui/toast.ts';
import { openEntryBulk } from '../bulk/request.ts';
import { useSelectedStoredRows } from '../bulk/selected-rows.ts';
import { NewEntryButton, OpenedNewEntryPanel } from '../editing/editor/NewEntryButton.tsx';
import { parseFilter } from '../filter/draft.ts';
import { focusFilter } from '../filter/focus.ts';
import {
  getVisibleColumns,
  hideColumns,
  dropColumn,
  DEFAULT_COLUMN_LAYOUT,
  saveColumnLayout,
  useColumnLayout,
} from '../model/columns.ts';
import type { ColumnLayout } from '../model/columns.ts';
import { useEntryPosition, useEntryRows } from '../model/entry-rows.ts';
import type { RowQuery } from '../model/entry-rows.ts';
import { loadFullRange } from '../model/full-values.ts';
import type { EntryRows } from '../model/row-windows.ts';
import { findField, useReloadSchema } from '../model/schema.ts';
import type { Field } from '../model/schema.ts';
import { useEntryType } from '../model/use-entry-type.ts';
import { useShowsAllZones } from '../model/zone.ts';
import { buildRowQuery, formatCurl, parseSort } from '../views/row-query.ts';
import { useSaveView } from '../views/save-view.ts';
import { findMissingFields, getColumnLayoutKey } from '../views/saved-view.ts';
import { useEntryViewRights, useViews } from '../views/use-views.ts';
import {
  useRememberView,
  formatView,
  parseView,
  parseCellAddress,
  formatCellAddress,
} from '../views/view.ts';
import type { EntriesView, CellAddress } from '../views/view.ts';
import { ViewsBar } from '../views/ViewsBar.tsx';
import { ColumnTools } from './ColumnTools.tsx';
import { FilterChips } from './FilterChips.tsx';
import { GridCard } from './GridCard.tsx';
import { ImportExportMenu } from './ImportExportMenu.tsx';
import './entries.css';

const DeletedFieldsBanner = lazyWithPreload(() => import('./DeletedFieldsBanner.tsx'));
const CellAddressNotice = lazyWithPreload(() => import('../views/CellAddressNotice.tsx'));
const EntryIdNotice = lazyWithPreload(() => import('../views/EntryIdNotice.tsx'));
const ViewNotices = lazyWithPreload(() => import('../views/ViewNotices.tsx'));
const FilterPanel = lazyWithPreload(() => import('../filter/FilterPanel.tsx'));

/** A search text that may be the id of an entry; any number of up to 9 digits is a valid one. */
const ENTRY_ID = /^[1-9]\d{0,8}$/;

/** Page of the entries of a type with search, filter, saved views and the editable grid. */
export function GridPage() {
  const { allowed, reason } = usePermission('queryRowsByBody');
  if (!allowed) throw new ServiceError(403, reason);
  return <EntryList />;
}

/** Takes the focus at once, so that keys pressed while the panel is loading do not reach the button that closes it. */
const FilterPanelFallback = () => (
  <section className="ent-waiting" aria-label="Find entries" aria-busy tabIndex={-1} ref={takeFocus}>
    <SkeletonRows rows={3} />
  </section>
);
const takeFocus = (section: HTMLElement | null) => section?.focus();

/**
 * Shows a place for the filter panel while its code is loading. A page that starts with it waits for the code instead, so that
 * the grid below does not move.
 */
const FilterPanelFrame = ({ waitsForCode, children }: { waitsForCode: boolean; children: ReactNode }) =>
  waitsForCode ? children : <Suspense fallback={<FilterPanelFallback />}>{children}</Suspense>;

/** State of the open filter panel: the condition to focus, if the user opened the panel. */
interface FilterPanelState {
  focusRequest?: { at: number };
}

function EntryList() {
  const { schema, type, fields } = useEntryType();
  const { view, address, showView, updateView, linkTo } = useView();
  useRememberView(type.id, view);
  const { views, isLoaded, error } = useViews(type.id);
  const savedView = views.find(({ id }) => id === view.savedViewId);
  const { getChangeRefusal } = useEntryViewRights();
  const { save: saveView } = useSaveView(type.id);
  const layoutKey = getColumnLayoutKey(type.id, savedView?.id);
  const layout = useColumnLayout(layoutKey) ?? savedView?.columns ?? DEFAULT_COLUMN_LAYOUT;
  const saveLayout = (next: ColumnLayout) => saveColumnLayout(layoutKey, next);
  const showsAllZones = useShowsAllZones();
  const columns = useMemo(
    () => getVisibleColumns(fields, layout, showsAllZones),
    [fields, layout, showsAllZones],
  );
  const key = fields.find(({ isKey }) => isKey);
  const sort = useMemo(() => parseSort(view.sort, fields), [view.sort, fields]);
  const { q, type: setSearchText, settle } = useDebouncedSearch(view.q, (next) => updateView({ q: next }));
  const deferredSearchText = useDeferredValue(view.q);
  const { condition, errors } = useMemo(() => parseFilter(view.query, fields), [view.query, fields]);
  const [startsInvalid] = useState(errors !== undefined);
  const [filterPanel, setFilterPanel] = useState<FilterPanelState | undefined>(errors && {});
  /** Opens the filter panel and focuses the condition at an index. */
  const openFilter = (at = 0) => setFilterPanel({ focusRequest: { at } });
  const reloadSchema = useReloadSchema();

  // As one text, so that the query is the same while the same columns are visible.
  const columnNames = columns.map(({ field }) => field.apiName).join('\n');
  const rowQuery = useMemo(
    () =>
      buildRowQuery({ fields, columnNames: columnNames.split('\n'), condition, q: deferredSearchText, sort }),
    [fields, columnNames, condition, deferredSearchText, sort],
  );
  const result = useEntryRows(
    type.id,
    rowQuery,
    // A saved view may have other columns, so its list waits for it.
    condition !== undefined && (view.savedViewId === undefined || isLoaded || error !== null),
  );
  const { isFetching } = result;
  // An invalid filter has no rows: those of the previous one must not be counted, edited or exported.
  const rows = condition && result.rows;
  const total = condition && result.total;
  const isCurrent = condition !== undefined && !result.isStale;
  const position = useEntryPosition(type.id, rowQuery, isCurrent ? address?.entryId : undefined, key);
  const addressField = findField(fields, address?.field ?? '');
  const column = columns.findIndex(({ field }) => field === addressField);
  const target = address && {
    ...address,
    row: position?.row ?? undefined,
    column: address.field === '' || column < 0 ? undefined : column,
  };
  const isFiltered = view.q !== '' || view.query !== undefined;
  const isLoading = !errors && result.error === undefined;
  const mayHaveRows = (total ?? (isLoading ? type.entryCount : undefined) ?? 0) > 0;
  const clearFilter = () => {
    focusFilter();
    void showView({ ...view, q: '', query: undefined });
  };
  const reload = async () => {
    await reloadSchema();
    result.reload();
  };
  const sortBy = (name: string) =>
    void showView({ ...view, sort: sort.field === name && !sort.descending ? `-${name}` : name });
  return (
    <Page
      fill
      breadcrumbs={<Breadcrumbs />}
      title={
        <TypeLabel type={type} size="medium">
          {type.pluralName}
        </TypeLabel>
      }
      meta={
        <span aria-live="polite">
          {pluralize((isFiltered ? undefined : total) ?? type.entryCount ?? 0, 'entry', 'entries')}
          {isFiltered &&
            total !== undefined &&
            ` · ${formatNumber(total)} ${total === 1 ? 'matches' : 'match'}`}
        </span>
      }
      actions={
        <>
          {mayHaveRows && (
            <BulkButton typeId={type.id} query={rowQuery.query} {...{ rows, total, isFiltered }} />
          )}
          <ImportExportMenu
            request={{
              type,
              fields,
              columns: columns.map(({ field }) => field),
              query: rowQuery,
              total,
            }}
            view={view}
            condition={condition}
          />
          <Link
            to="/entries/$type/schema"
            params={{ type: type.apiName }}
            className={buttonClass({}, 'ent-schema')}
          >
            <ListTree />
            Schema
          </Link>
          <NewEntryButton type={type} />
          <OpenedNewEntryPanel type={type} schema={schema} />
        </>
      }
    >
      <TableBar
        tools={
          <>
            <DataAge
              at={rows && result.asOf > 0 ? result.asOf : undefined}
              failed={result.error !== undefined}
            />
            {result.hasMoved && (
              <Button size="small" onClick={() => void reload()}>
                Show new rows
              </Button>
            )}
            <IconButton label="Reload" icon={RefreshCw} pending={isFetching} onClick={() => void reload()} />
            <AsOfLink type={type.apiName} view={view} />
            <ColumnTools {...{ fields, layout, sort }} onSort={sortBy} onChange={saveLayout} />
          </>
        }
      >
        <ViewsBar {...{ type, fields, view, layout, views }} saved={savedView} />
        <SearchField
          label={`Search ${type.pluralName}`}
          placeholder={key ? `${key.name} contains` : 'Search'}
          value={q}
          onChange={setSearchText}
          onBlur={settle}
        />
        <FilterChips
          {...{ condition, fields, schema, errors }}
          matchCount={isFiltered ? total : undefined}
          onChange={(query, isStep) => void updateView({ query }, isStep)}
          onEditGroup={openFilter}
          pins={
            savedView && {
              pinned: savedView.pinned,
              refusal: getChangeRefusal(savedView),
              onPin: (pinned) => void saveView(savedView, { pinned }),
            }
          }
          panelButton={
            <IconButton
              id="ent-find"
              label="Filter and query"
              icon={Braces}
              size="small"
              aria-expanded={filterPanel !== undefined}
              onPointerEnter={FilterPanel.preload}
              onClick={() => (filterPanel ? setFilterPanel(undefined) : openFilter())}
            />
          }
        />
      </TableBar>
      <DeletedFieldsNotice {...{ fields, rows }} error={result.error} onReloadSchema={reloadSchema} />
      <Suspense>
        {view.savedViewId !== undefined &&
          isLoaded &&
          (!savedView || findMissingFields(savedView, fields).length > 0) && (
            <ViewNotices {...{ view, fields }} saved={savedView} show={showView} />
          )}
        {ENTRY_ID.test(view.q) && (
          <EntryIdNotice entryId={Number(view.q)} typeId={type.id} isExpected={false} />
        )}
        {address && position && (
          <CellAddressNotice
            {...{ target: address, position, view, isFiltered, fields }}
            type={type.apiName}
            typeId={type.id}
            isColumnVisible={column >= 0}
            onShowColumn={(name) =>
              saveLayout(
                hideColumns(
                  fields,
                  layout,
                  layout.hidden.filter((other) => other !== name),
                ),
              )
            }
          />
        )}
      </Suspense>
      <FilterPanelFrame waitsForCode={startsInvalid}>
        {filterPanel && (
          <FilterPanel
            filter={view.query}
            focusRequest={filterPanel.focusRequest}
            {...{ fields, schema }}
            onFilterChange={(query, isStep) => void updateView({ query }, isStep)}
            curl={formatCurl(location.origin, type.apiName, { ...rowQuery, limit: 100, skip: 0 })}
          />
        )}
      </FilterPanelFrame>
      <GridCard
        {...{ type, columns, errors, sort, isFiltered, target, linkTo }}
        result={{ ...result, rows }}
        frozen={layout.frozen}
        icon={isFiltered ? Braces : Table2}
        onSort={sortBy}
        onClear={clearFilter}
        onReload={() => void reload()}
        onResize={(name, width) => saveLayout({ ...layout, widths: { ...layout.widths, [name]: width } })}
        onMoveColumn={(name, targetIndex) => saveLayout(dropColumn(fields, layout, name, targetIndex))}
      />
    </Page>
  );
}

/** Link to the same list as of a past time. */
function AsOfLink({ type, view }: { type: string; view: EntriesView }) {
  return (
    <Link
      to="/entries/$type/past"
      params={{ type }}
      search={formatView(view)}
      className={buttonClass({ variant: 'quiet', size: 'small' })}
    >
      <History />
      As of a date
    </Link>
  );
}

const route = getRouteApi('/_app/entries/$type/');

/** The view and the cell address of the URL, and functions to change the view. Changing the view drops the address. */
function useView() {
  const search = route.useSearch();
  const params = route.useParams();
  const navigate = route.useNavigate();
  const router = useRouter();
  const view = useMemo(() => parseView(search), [search]);
  const address = useMemo(() => parseCellAddress(search), [search]);
  const showView = (next: EntriesView) => navigate({ to: '.', search: formatView(next) });
  /** Changes parts of the view of the current URL: in place, or as a history entry that Back undoes (`isStep`). */
  const updateView = (part: Partial<EntriesView>, isStep = false) =>
    navigate({
      to: '.',
      search: (now) => formatView({ ...parseView(now), ...part }),
      replace: !isStep,
    });
  /** URL of a row or cell in this view. */
  const linkTo = (to: CellAddress): string => {
    const targetSearch = { ...formatView(view), ...formatCellAddress(to) };
    const { href } = router.buildLocation({ to: '/entries/$type', params, search: targetSearch });
    return new URL(href, location.origin).href;
  };
  return { view, address, showView, updateView, linkTo };
}

interface DeletedFieldsNoticeProps {
  fields: readonly Field[];
  rows: EntryRows | undefined;
  /** Error of loading the rows. */
  error: Error | undefined;
  onReloadSchema: () => Promise<unknown>;
}

const subscribeToNothing = () => () => undefined;

/** Whether the service refused a query because it names a deleted field (shapes 4). */
const isMissingFieldError = (message: string): boolean => message.startsWith('Field with');

/** Notice about fields deleted while the grid is open, which continues without their columns. */
function DeletedFieldsNotice({ fields, rows, error, onReloadSchema }: DeletedFieldsNoticeProps) {
  const [previousFields, setPreviousFields] = useState(fields);
  const [deletedNames, setDeletedNames] = useState<readonly string[]>([]);
  if (fields !== previousFields) {
    const names = previousFields
      .filter(({ id }) => !fields.some((field) => field.id === id))
      .map(({ name }) => name);
    setPreviousFields(fields);
    if (names.length > 0) setDeletedNames([...deletedNames, ...names]);
  }
  // Windows loaded later may be the first to fail.
  const windowError = useSyncExternalStore(rows?.subscribe ?? subscribeToNothing, () => {
    const failure = rows?.getError();
    return failure === undefined ? '' : toServiceError(failure).message;
  });
  const message = error?.message ?? windowError;
  useEffect(() => {
    if (isMissingFieldError(message)) void onReloadSchema();
    // oxlint-disable-next-line react/exhaustive-deps -- reloads once per error
  }, [message]);
  if (deletedNames.length === 0) return null;
  return (
    <Suspense>
      <DeletedFieldsBanner names={deletedNames} onDismiss={() => setDeletedNames([])} />
    </Suspense>
  );
}

interface BulkButtonProps {
  typeId: number;
  /** Undefined while they load: the button keeps its place. */
  rows: EntryRows | undefined;
  /** Number of entries that match `query`; undefined until it is known. */
  total: number | undefined;
  query: RowQuery['query'];
  /** Whether a search or a filter is active. */
  isFiltered: boolean;
}

// The grid holds this many rows at once.
const MAX_SELECTED_ROWS = 4000;

/** Edits the selected rows, or all matching ones unless several are selected. */
function BulkButton({ typeId, rows, total, query, isFiltered }: BulkButtonProps) {
  const { reason } = usePermission('updateEntries');
  const [pending, setPending] = useState(false);
  const selection = useSelectedStoredRows();
  const range = rows && selection?.rows === rows ? selection : undefined;
  const count = range ? range.bottom - range.top + 1 : total;
  const isAll = count === total;
  const edit = async () => {
    if (!rows || !range || isAll) {
      if (total !== undefined) openEntryBulk({ typeId, scope: { query, total } });
      return;
    }
    setPending(true);
    try {
      const rangeRows = await loadFullRange(rows, range.top, range.bottom, []);
      openEntryBulk({ typeId, scope: { ids: rangeRows.map(({ EntryId }) => EntryId) } });
    } catch (thrown) {
      const { message: description } = toServiceError(thrown);
      toast({ title: 'The selected rows could not be loaded', description, tone: 'bad' });
    } finally {
      setPending(false);
    }
  };
  const tooManyReason =
    !isAll && count !== undefined && count > MAX_SELECTED_ROWS
      ? `Select at most ${formatNumber(MAX_SELECTED_ROWS)} rows, or use a filter for more`
      : undefined;
  const loadingReason = count === undefined ? 'The entries are loading' : undefined;
  const allLabel = `Edit all${count === undefined ? '' : ` ${formatNumber(count)}`}${isFiltered ? ' that match' : ''}`;
  return (
    <Button
      icon={PencilLine}
      pending={pending}
      disabledReason={reason ?? loadingReason ?? tooManyReason}
      onClick={() => void edit()}
    >
      {isAll || count === undefined ? allLabel : `Edit ${formatNumber(count)} selected`}
    </Button>
  );
}
