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
import { formatExactDate } from '../../../lib/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../ui/layout/Badge.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { ToggleChip } from '../../../ui/table/FilterChips.tsx';
import { AsOf, TableBar } from '../../../ui/table/TableBar.tsx';
import { IdPicker } from '../filter/IdPicker.tsx';
import { ActorName } from '../history/ActorName.tsx';
import { useUserFinder, useUserNames } from '../model/field-users.ts';
import { findEntryType, useSchema } from '../model/schema.ts';
import { PERIODS, parseChangesView, formatChangesView } from './changes-view.ts';
import type { ChangesView } from './changes-view.ts';
import './changes.css';
import '../filter/filter.css';

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
    minWidth: 240,
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
    width: 260,
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
    width: 220,
    small: 'line',
    cell: ({ by, isIndirect }) =>
      isIndirect ? 'Calculation or indirect change' : <ActorName {...(by && { by })} />,
  },
  {
    id: 'at',
    header: 'Changed',
    width: 150,
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

const FATES: readonly { fate: EntryFate; label: string }[] = [
  { fate: 'created', label: 'Created' },
  { fate: 'changed', label: 'Changed' },
  { fate: 'gone', label: 'Deleted or merged' },
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
            <AsOf tone={error ? 'bad' : 'ok'}>Up to 180 days back</AsOf>
            <IconButton
              label="Reload"
              icon={RefreshCw}
              pending={counts.isFetching || list.isFetching}
              onClick={reload}
            />
          </>
        }
      >
        {PERIODS.map(({ id, label }) => (
          <ToggleChip
            key={id}
            label={label}
            on={view.period === id}
            onChange={(on) => show({ period: on ? id : 'day' })}
          />
        ))}
        <ToggleChip
          label="With calculations and indirect changes"
          on={view.indirect}
          onChange={(indirect) => show({ indirect })}
        />
        <UserFilter userId={view.userId} onChange={(userId) => show({ userId })} />
      </TableBar>
      {counts.data && !hasNoChanges && (
        <TypeCounts counts={counts.data} {...{ types, view, since }} current={type?.id} />
      )}
      {type && !hasNoChanges && (
        <TableBar>
          {FATES.map(({ fate, label }) => (
            <ToggleChip
              key={fate}
              {...{ label }}
              on={view.fate === fate}
              onChange={(on) => show({ fate: on ? fate : undefined })}
            />
          ))}
        </TableBar>
      )}
      <DataTable
        label={type ? `Changed ${type.pluralName}` : 'Changed entries'}
        columns={columns}
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
              <span>{formatNumber(rows.length)} shown, latest first</span>
              {list.hasNextPage && (
                <Button
                  size="small"
                  pending={list.isFetchingNextPage}
                  onClick={() => void list.fetchNextPage()}
                >
                  Show earlier changes
                </Button>
              )}
            </>
          )
        }
      />
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
  return (
    <span className="chg-person">
      <span aria-hidden>By</span>
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
        formatId={(id) => names.get(id) ?? `User ${id}`}
        isMulti={false}
        onChange={([id]) => onChange(id)}
      />
    </span>
  );
}

interface TypeCountsProps {
  counts: readonly ChangeCount[];
  types: readonly EntryTypeVm[];
  view: ChangesView;
  since: ChangesQuery;
  /** Id of the listed entry type. */
  current: number | undefined;
}

/** Number of changed entries per type, with links to them and to the list as of before. */
function TypeCounts({ counts, types, view, since, current }: TypeCountsProps) {
  return (
    <nav className="chg-types" aria-label="Entry types with changes">
      {counts.map(({ entryTypeId, created, changed, gone }) => {
        const type = types.find(({ id }) => id === entryTypeId);
        return (
          type && (
            <div
              key={entryTypeId}
              className="chg-type"
              data-current={entryTypeId === current ? '' : undefined}
            >
              <Link
                to="/changes"
                search={formatChangesView({ ...view, type: type.apiName })}
                aria-current={entryTypeId === current ? 'true' : undefined}
              >
                {type.pluralName}
              </Link>
              <span className="num">
                {formatNumber(created)} created · {formatNumber(changed)} changed · {formatNumber(gone)}{' '}
                deleted or merged
              </span>
              <Link
                to="/entries/$type/past"
                params={{ type: type.apiName }}
                search={{ asOf: since.modifiedSince }}
                className="chg-before"
              >
                As of then
              </Link>
            </div>
          )
        );
      })}
    </nav>
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
