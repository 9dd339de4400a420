import { useInfiniteQuery, useQuery, infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { History, RefreshCw } from 'lucide-react';
import { useMemo, useState } from 'react';
import type {
  EntryFate,
  ChangeCount,
  EntryTypeVm,
  ChangedEntry,
} from '../../../../contract/generated/types.gen.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { countChangedEntries, listChangedEntries } from '../../../api/generated/sdk/entry-history.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { TableViews } from '../../../app/views/TableViews.tsx';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { ShowMoreButton } from '../../../ui/button/ShowMoreButton.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { TypeLabel } from '../../../ui/layout/TypeTile.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { ChoiceChip } from '../../../ui/table/filter/ChoiceChip.tsx';
import { CardChip, FilterChip, ToggleChip } from '../../../ui/table/filter/FilterChips.tsx';
import { FilterSentence } from '../../../ui/table/filter/FilterSentence.tsx';
import type { SentenceClause } from '../../../ui/table/filter/FilterSentence.tsx';
import { TableBar, TableTools } from '../../../ui/table/TableBar.tsx';
import { saveTableLayout, useArrangedColumns, useTableLayout } from '../../../ui/table/use-table-layout.ts';
import { IdPicker } from '../filter/IdPicker.tsx';
import { ActorName } from '../history/ActorName.tsx';
import { useUserFinder, useUserNames } from '../model/field-users.ts';
import { findEntryType, useSchema } from '../model/schema.ts';
import { PERIODS, parseChangesView, formatChangesView } from './changes-view.ts';
import type { ChangesView } from './changes-view.ts';
import './changes.css';
import '../filter/filter.css';

/** The few columns of the table are not hidden. */
const NO_HIDDEN: readonly string[] = [];
const getEntryId = ({ id }: ChangedEntry): number => id;
const formatName = ({ id, name }: ChangedEntry): string => (name.trim() === '' ? `Entry ${id}` : name);

function getFateBadge({ fate, mergedEntryId, isIndirect }: ChangedEntry): { tone: Tone; label: string } {
  if (fate === 'created') return { tone: 'ok', label: 'Created' };
  if (fate === 'gone') return { tone: 'bad', label: mergedEntryId === undefined ? 'Deleted' : 'Merged' };
  return isIndirect ? { tone: 'neutral', label: 'Changed indirectly' } : { tone: 'info', label: 'Changed' };
}

/** Columns of entries changed since a time. */
const buildColumns = (since: string): readonly Column<ChangedEntry>[] => [
  {
    id: 'name',
    header: 'Entry',
    minWidth: 180,
    cell: (entry, { tabIndex }) => (
      <Link
        to="/entries/$type/$entryId"
        params={{ type: String(entry.entryListId), entryId: entry.id }}
        tabIndex={tabIndex}
      >
        <bdi>{formatName(entry)}</bdi>
      </Link>
    ),
  },
  {
    id: 'fate',
    header: 'Change',
    hideable: false,
    width: 170,
    small: 'aside',
    cell: (entry, { tabIndex }) => {
      const { tone, label } = getFateBadge(entry);
      return (
        <span className="chg-kind">
          <Badge tone={tone}>{label}</Badge>
          {entry.mergedEntryId !== undefined && (
            <Link
              to="/entries/$type/$entryId"
              params={{ type: String(entry.entryListId), entryId: entry.mergedEntryId }}
              tabIndex={tabIndex}
            >
              into {entry.mergedEntryId}
            </Link>
          )}
          {entry.fate === 'changed' && (
            <Link
              to="/entries/$type/$entryId"
              params={{ type: String(entry.entryListId), entryId: entry.id }}
              search={{ at: since }}
              tabIndex={tabIndex}
            >
              Compare
              <span className="visually-hidden"> {formatName(entry)} with its earlier state</span>
            </Link>
          )}
        </span>
      );
    },
  },
  {
    id: 'who',
    header: 'Changed by',
    hideable: false,
    width: 180,
    small: 'line',
    cell: ({ by, isIndirect }) =>
      isIndirect ? 'Calculation or indirect change' : <ActorName {...(by && { by })} />,
  },
  {
    id: 'at',
    header: 'Changed',
    hideable: false,
    width: 116,
    small: 'line',
    cell: ({ at }, { tabIndex }) => <Timestamp at={at} tabIndex={tabIndex} />,
  },
];

const route = getRouteApi('/_app/changes/');

/** Page of recently created, changed, deleted and merged entries by type. */
export function ChangesPage() {
  const { allowed, reason } = usePermission('listChangedEntries');
  if (!allowed) throw new ServiceError(403, reason);
  return <Changes />;
}

function useChangesView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view = useMemo(() => parseChangesView(search), [search]);
  const show = (next: Partial<ChangesView>) =>
    void navigate({ to: '.', search: formatChangesView({ ...view, ...next }) });
  return { view, show };
}

/** The query for changes of a period; reloading moves the period to now. */
function useSince({ period, indirect, userId }: ChangesView) {
  const [now, setNow] = useState(() => Date.now());
  const ms = PERIODS.find(({ id }) => id === period)?.ms ?? 0;
  const since = useMemo(
    () => ({
      modifiedSince: new Date(now - ms).toISOString(),
      indirect,
      ...(userId !== undefined && { userId }),
    }),
    [now, ms, indirect, userId],
  );
  return { since, reload: () => setNow(Date.now()) };
}

/** What may have happened to an entry; `short` is the heading of a column of numbers. */
const FATES: readonly { fate: EntryFate; label: string; short: string }[] = [
  { fate: 'created', label: 'Created', short: 'Created' },
  { fate: 'changed', label: 'Changed', short: 'Changed' },
  { fate: 'gone', label: 'Deleted or merged', short: 'Deleted' },
];

function Changes() {
  const { types } = useSchema();
  const { view, show } = useChangesView();
  const { since, reload } = useSince(view);
  const counts = useQuery(changeCountsQuery(since));
  const selectedType = view.type === '' ? undefined : findEntryType(types, view.type);
  const [busiest] = counts.data?.toSorted((a, b) => countChanges(b) - countChanges(a)) ?? [];
  const type = selectedType ?? types.find(({ id }) => id === busiest?.entryTypeId);
  const list = useInfiniteQuery(changedEntriesQuery(type?.id, since, view.fate));
  const rows = useMemo(() => list.data?.pages.flatMap(({ entries }) => entries), [list.data]);
  const columns = useMemo(() => buildColumns(since.modifiedSince), [since.modifiedSince]);
  const layout = useTableLayout('changes');
  const arranged = useArrangedColumns(columns, layout);
  const total = counts.data?.reduce((sum, count) => sum + countChanges(count), 0);
  const hasNoChanges = counts.data?.length === 0;
  const error = counts.error ?? list.error;
  return (
    <Page
      fill
      title="Changes"
      meta={
        <span aria-live="polite">
          {total !== undefined &&
            `${pluralize(total, 'entry', 'entries')} since ${formatExactDate(since.modifiedSince)}`}
        </span>
      }
    >
      <TableBar
        tools={
          <>
            <QueryAge query={{ dataUpdatedAt: counts.dataUpdatedAt, error }} />
            <TableTools
              columns={columns}
              hidden={NO_HIDDEN}
              onHide={() => undefined}
              layout={layout}
              onLayout={(next) => saveTableLayout('changes', next)}
            />
            <IconButton
              label="Reload"
              icon={RefreshCw}
              pending={counts.isFetching || list.isFetching}
              onClick={reload}
            />
          </>
        }
      >
        <TableViews table="changes" hidden={NO_HIDDEN} onHide={() => undefined} />
        <FilterSentence
          clauses={getClauses(view, show)}
          onClear={
            view.fate === undefined && view.userId === undefined && !view.indirect
              ? undefined
              : () => show({ fate: undefined, userId: undefined, indirect: false })
          }
        />
      </TableBar>
      <div className="chg-columns">
        <DataTable
          label={type ? `Changed ${type.pluralName}` : 'Changed entries'}
          columns={arranged}
          rows={hasNoChanges ? [] : rows}
          rowId={getEntryId}
          rowLabel={formatName}
          refetching={list.isFetching && !list.isFetchingNextPage}
          error={error === null ? undefined : toServiceError(error)}
          onRetry={reload}
          empty={
            <EmptyState icon={History} title="No changes">
              No entry was created, changed or deleted
              {view.userId !== undefined && ' by this user'} in this period.
            </EmptyState>
          }
          onClearFilters={
            view.fate === undefined && view.userId === undefined
              ? undefined
              : () => show({ fate: undefined, userId: undefined })
          }
          footer={
            rows &&
            rows.length > 0 && (
              <>
                <span>{formatNumber(rows.length)} shown, latest first, up to 180 days back</span>
                {list.hasNextPage && (
                  <ShowMoreButton pending={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                    Show earlier changes
                  </ShowMoreButton>
                )}
              </>
            )
          }
        />
        {!counts.error && <TypeCounts counts={counts.data} {...{ types, view, since }} current={type?.id} />}
      </div>
    </Page>
  );
}

const countChanges = ({
  created,
  changed,
  gone,
}: {
  created: number;
  changed: number;
  gone: number;
}): number => created + changed + gone;

/** The clauses of the filter. */
function getClauses(view: ChangesView, show: (next: Partial<ChangesView>) => void): SentenceClause[] {
  return [
    {
      label: 'Period',
      isActive: true,
      chip: (
        <ChoiceChip
          label="Period"
          options={PERIODS.map(({ id, label }) => ({ value: id, label }))}
          value={view.period}
          defaultValue="day"
          showsDefault
          onChange={(period) => show({ period })}
        />
      ),
    },
    {
      label: 'Change',
      isActive: view.fate !== undefined,
      chip: (
        <FilterChip
          label="Change"
          options={FATES.map(({ fate, label }) => ({ value: fate, label }))}
          value={view.fate === undefined ? [] : [view.fate]}
          // The service filters by one kind of change.
          onChange={(values) => show({ fate: FATES.find(({ fate }) => fate === values.at(-1))?.fate })}
        />
      ),
    },
    {
      label: 'Changed by',
      isActive: view.userId !== undefined,
      chip: <UserFilter userId={view.userId} onChange={(userId) => show({ userId })} />,
    },
    {
      label: 'With indirect changes',
      isActive: view.indirect,
      chip: (
        <ToggleChip
          label="With indirect changes"
          on={view.indirect}
          onChange={(indirect) => show({ indirect })}
        />
      ),
      onAdd: () => show({ indirect: true }),
    },
  ];
}

interface UserFilterProps {
  userId: number | undefined;
  onChange: (userId: number | undefined) => void;
}

const MAX_USERS = 30;

/** Filters changes by the user who made them. */
function UserFilter({ userId, onChange }: UserFilterProps) {
  const findUsers = useUserFinder();
  const userIds = userId === undefined ? [] : [userId];
  const names = useUserNames(userIds);
  const formatId = (id: number) => names.get(id) ?? `User ${id}`;
  return (
    <CardChip
      label="Changed by"
      value={userId === undefined ? undefined : formatId(userId)}
      onClear={() => onChange(undefined)}
    >
      {(close) => (
        <div className="chg-person">
          <IdPicker
            label="Changed by"
            queryKey="changed by"
            loadOptions={async (text) =>
              (await findUsers(text, MAX_USERS)).map(({ id, name, email }) => ({
                value: id,
                label: name,
                hint: email,
              }))
            }
            value={userIds}
            formatId={formatId}
            isMulti={false}
            onChange={([id]) => {
              onChange(id);
              if (id !== undefined) close();
            }}
          />
        </div>
      )}
    </CardChip>
  );
}

interface TypeCountsProps {
  /** Undefined while loading: the card keeps its place, so that the table beside it does not move. */
  counts: readonly ChangeCount[] | undefined;
  types: readonly EntryTypeVm[];
  view: ChangesView;
  since: ChangesQuery;
  /** Id of the listed entry type. */
  current: number | undefined;
}

/** Number of changed entries per type. Each number leads to its entries, and each type to its list as of before. */
function TypeCounts({ counts, types, view, since, current }: TypeCountsProps) {
  if (!counts)
    return (
      <Card title="By entry type">
        <SkeletonRows rows={3} />
      </Card>
    );
  const rows = counts.flatMap(({ entryTypeId, ...count }) => {
    const type = types.find(({ id }) => id === entryTypeId);
    return type ? [{ type, count }] : [];
  });
  if (rows.length === 0)
    return (
      <Card title="By entry type">
        <CardBody>
          <p className="field-hint">Nothing changed in this period.</p>
        </CardBody>
      </Card>
    );
  return (
    <Card title="By entry type">
      {/* Focusable, so that a long list can be scrolled by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <section className="chg-counts" aria-label="Changes by entry type" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Entry type</th>
              {FATES.map(({ fate, short }) => (
                <th key={fate} scope="col">
                  {short}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ type, count }) => (
              <tr key={type.id} data-current={type.id === current ? '' : undefined}>
                <th scope="row">
                  <Link
                    to="/changes"
                    search={formatChangesView({ ...view, type: type.apiName, fate: undefined })}
                    aria-current={type.id === current ? 'true' : undefined}
                  >
                    <TypeLabel type={type}>{type.pluralName}</TypeLabel>
                  </Link>
                  <Link
                    to="/entries/$type/past"
                    params={{ type: type.apiName }}
                    search={{ asOf: since.modifiedSince }}
                    className="chg-before"
                  >
                    As of then<span className="visually-hidden">, {type.pluralName}</span>
                  </Link>
                </th>
                {FATES.map(({ fate, label }) => (
                  <td key={fate} className="num">
                    {count[fate] === 0 ? (
                      '0'
                    ) : (
                      <Link
                        to="/changes"
                        search={formatChangesView({ ...view, type: type.apiName, fate })}
                        aria-label={`${formatNumber(count[fate])} ${type.pluralName} ${label.toLowerCase()}`}
                      >
                        {formatNumber(count[fate])}
                      </Link>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Card>
  );
}

/** Query parameters shared by all types. */
interface ChangesQuery {
  modifiedSince: string;
  indirect: boolean;
  userId?: number;
}

/** Number of changed entries per type. */
const changeCountsQuery = (query: ChangesQuery) =>
  queryOptions({
    queryKey: [{ _id: 'countChangedEntries', query }],
    queryFn: async ({ signal }) => (await countChangedEntries({ query, signal })).data,
  });

const PAGE_SIZE = 100;

/** The changed entries of a type in pages, latest first. */
const changedEntriesQuery = (type: number | undefined, since: ChangesQuery, fate: EntryFate | undefined) =>
  infiniteQueryOptions({
    queryKey: [{ _id: 'listChangedEntries', type, since, fate }],
    queryFn: async ({ pageParam, signal }) =>
      (
        await listChangedEntries({
          path: { entryTypeId: String(type) },
          query: {
            ...since,
            limit: PAGE_SIZE,
            ...(fate && { fate }),
            ...(pageParam !== '' && { cursor: pageParam }),
          },
          signal,
        })
      ).data,
    enabled: type !== undefined,
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
