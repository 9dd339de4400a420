import { useInfiniteQuery, useQuery, infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { History, RefreshCw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { useAllowed } from '../../../api/session.ts';
import type { EntryFate, ChangeCount, EntryTypeVm } from '../../../api/generated/types.gen.ts';
import { typeCalled, useSchema } from '../model/schema.ts';
import { PERIODS, readChangesView, writeChangesView } from '../history/changes-view.ts';
import type { ChangesView } from '../history/changes-view.ts';
import { exactDate } from '../../../lib/dates.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { AsOf, TableBar } from '../../../ui/table/TableBar.tsx';
import { ToggleChip } from '../../../ui/table/ToggleChip.tsx';
import { columnsSince, idOf, nameOf } from './columns.tsx';
import { usePeopleFinder, usePeopleNames } from '../model/people.ts';
import { PickBox } from '../filter/PickBox.tsx';
import { countChangedEntries, listChangedEntries } from '../../../api/generated/sdk.gen.ts';
import './changes.css';
import '../filter/find.css';

const route = getRouteApi('/_app/changes/');

/** Which entries were made, changed or went away lately, by type. */
export function ChangesPage() {
  const { allowed, reason } = useAllowed('listChangedEntries');
  if (!allowed) throw new ServiceError(403, reason);
  return <Changes />;
}

function useChangesView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view = useMemo(() => readChangesView(search), [search]);
  const show = (next: Partial<ChangesView>) =>
    void navigate({ to: '.', search: writeChangesView({ ...view, ...next }) });
  return { view, show };
}

/** The moment from which on changes are told; it moves on when somebody reads anew. */
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
  return { since, again: () => setNow(Date.now()) };
}

const FATES: readonly { fate: EntryFate; label: string }[] = [
  { fate: 'created', label: 'Created' },
  { fate: 'changed', label: 'Changed' },
  { fate: 'gone', label: 'Deleted or merged' },
];

function Changes() {
  const { types } = useSchema();
  const { view, show } = useChangesView();
  const { since, again } = useSince(view);
  const counts = useQuery(countsQuery(since));
  const called = view.type === '' ? undefined : typeCalled(types, view.type);
  const [busiest] = counts.data?.toSorted((a, b) => totalOf(b) - totalOf(a)) ?? [];
  const type = called ?? types.find(({ id }) => id === busiest?.entryTypeId);
  const list = useInfiniteQuery(changedQuery(type?.id, since, view.fate));
  const rows = useMemo(() => list.data?.pages.flatMap(({ entries }) => entries), [list.data]);
  const columns = useMemo(() => columnsSince(since.modifiedSince), [since.modifiedSince]);
  const total = counts.data?.reduce((sum, one) => sum + totalOf(one), 0);
  const isQuiet = counts.data?.length === 0;
  const error = counts.error ?? list.error;
  return (
    <Page
      fill
      title="Changes"
      meta={
        <span aria-live="polite">
          {total !== undefined &&
            `${counted(total, 'entry', 'entries')} since ${exactDate(since.modifiedSince)}`}
        </span>
      }
    >
      <TableBar
        tools={
          <>
            <AsOf tone={error ? 'bad' : 'ok'}>Up to 180 days back</AsOf>
            <IconButton
              label="Read again"
              icon={RefreshCw}
              pending={counts.isFetching || list.isFetching}
              onClick={again}
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
        <ByPerson userId={view.userId} onChange={(userId) => show({ userId })} />
      </TableBar>
      {counts.data && !isQuiet && (
        <TypeCounts counts={counts.data} {...{ types, view, since }} current={type?.id} />
      )}
      {type && !isQuiet && (
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
        rows={isQuiet ? [] : rows}
        rowId={idOf}
        rowLabel={nameOf}
        refetching={list.isFetching && !list.isFetchingNextPage}
        error={error === null ? undefined : toServiceError(error)}
        onRetry={again}
        empty={
          <EmptyState icon={History} title="Nothing has changed">
            No entry of any type was made, changed or taken away
            {view.userId !== undefined && ' by this person'} in this time.
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
              <span>{count(rows.length)} shown, the latest first</span>
              {list.hasNextPage && (
                <Button
                  size="small"
                  pending={list.isFetchingNextPage}
                  onClick={() => void list.fetchNextPage()}
                >
                  Show earlier ones
                </Button>
              )}
            </>
          )
        }
      />
    </Page>
  );
}

const totalOf = (one: { created: number; changed: number; gone: number }): number =>
  one.created + one.changed + one.gone;

interface ByPersonProps {
  userId: number | undefined;
  onChange: (userId: number | undefined) => void;
}

const MOST = 30;

/** Narrows changes to those that one person made. */
function ByPerson({ userId, onChange }: ByPersonProps) {
  const find = usePeopleFinder();
  const chosen = userId === undefined ? [] : [userId];
  const names = usePeopleNames(chosen);
  return (
    <span className="chg-person">
      <span aria-hidden>By</span>
      <PickBox
        label="Changed by"
        topic="changed by"
        find={async (typed) =>
          (await find(typed, MOST)).map(({ id, name, email }) => ({ value: id, label: name, hint: email }))
        }
        chosen={chosen}
        nameOf={(id) => names.get(id) ?? `User ${id}`}
        many={false}
        onChange={([id]) => onChange(id)}
      />
    </span>
  );
}

interface TypeCountsProps {
  counts: readonly ChangeCount[];
  types: readonly EntryTypeVm[];
  view: ChangesView;
  since: Since;
  /** Id of the type whose entries are listed. */
  current: number | undefined;
}

/** How many entries of each type changed; each leads to them, and to its list as it was before. */
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
                search={writeChangesView({ ...view, type: type.apiName })}
                aria-current={entryTypeId === current ? 'true' : undefined}
              >
                {type.pluralName}
              </Link>
              <span className="num">
                {count(created)} created · {count(changed)} changed · {count(gone)} gone
              </span>
              <Link
                to="/entries/$type/past"
                params={{ type: type.apiName }}
                search={{ asOf: since.modifiedSince }}
                className="chg-before"
              >
                As they were
              </Link>
            </div>
          )
        );
      })}
    </nav>
  );
}

/** What is asked for of all types. */
interface Since {
  modifiedSince: string;
  indirect: boolean;
  userId?: number;
}

/** How many entries of each type have changed. */
const countsQuery = (query: Since) =>
  queryOptions({
    queryKey: [{ _id: 'countChangedEntries', query }],
    queryFn: async ({ signal }) => (await countChangedEntries({ query, signal })).data,
  });

const PAGE = 100;

/** The changed entries of a type, page by page, the latest first. */
const changedQuery = (type: number | undefined, since: Since, fate: EntryFate | undefined) =>
  infiniteQueryOptions({
    queryKey: [{ _id: 'listChangedEntries', type, since, fate }],
    queryFn: async ({ pageParam, signal }) =>
      (
        await listChangedEntries({
          path: { entryTypeId: String(type) },
          query: {
            ...since,
            limit: PAGE,
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
