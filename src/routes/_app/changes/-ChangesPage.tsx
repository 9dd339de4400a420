import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { History, RefreshCw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { useAllowed } from '../../../api/session.ts';
import type { EntryFate } from '../../../api/generated/types.gen.ts';
import { typeCalled, useSchema } from '../../../entries/schema.ts';
import { changedQuery, countsQuery } from '../../../entries/time/changes.ts';
import { PERIODS, readChangesView, writeChangesView } from '../../../entries/time/changes-view.ts';
import type { ChangesView } from '../../../entries/time/changes-view.ts';
import { exactDate } from '../../../lib/dates.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { AsOf, TableBar } from '../../../ui/table/TableBar.tsx';
import { ToggleChip } from '../../../ui/table/ToggleChip.tsx';
import { ByPerson } from './-ByPerson.tsx';
import { columnsSince, idOf, nameOf } from './-columns.tsx';
import { TypeCounts } from './-TypeCounts.tsx';
import './-changes.css';

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
