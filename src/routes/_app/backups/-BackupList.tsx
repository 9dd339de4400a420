import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Archive, Plus } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { useSession } from '../../../api/session.ts';
import { backupsQuery, isBeingMade } from '../../../backups/list.ts';
import type { Backup } from '../../../backups/list.ts';
import { sizeWords } from '../../../backups/units.ts';
import { watchBackup } from '../../../backups/watch.ts';
import { counted } from '../../../lib/numbers.ts';
import { setNavCount } from '../../../shell/nav-counts.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { Sort } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { useMedia } from '../../../ui/use-media.ts';
import { fromSort, toSort } from '../-sort.ts';
import { BackupsBar } from './-BackupsBar.tsx';
import { COLUMNS } from './-columns.tsx';
import { ScheduleCard } from './-ScheduleCard.tsx';
import { useRowMenu } from './-use-items.ts';
import { useView } from './-use-view.ts';
import { findBackups, isNarrowed, SORT_KEYS } from './-view.ts';
import './-backups.css';

// With the navigation beside it, the whole table needs so much.
const ROOMY = '(min-width: 1420px)';
const LAST = ['sha256'];
const NOTHING: readonly string[] = [];
const nameOf = ({ fileName }: Backup) => fileName;

/** The backups, live while one is on its way. */
export function BackupList() {
  const { site } = useSession();
  const { data: all, error, isFetching, refetch, dataUpdatedAt } = useQuery(backupsQuery);
  const typed = useView();
  const { view, show } = typed;
  const roomy = useMedia(ROOMY);
  const hidden = view.hidden ?? (roomy ? NOTHING : LAST);
  const asked = useDeferredValue(view);
  const found = useMemo(() => all && findBackups(all, asked), [all, asked]);
  const rowMenu = useRowMenu();
  useOwnInTray(all);
  const total = all?.length;
  useEffect(() => {
    if (total !== undefined) setNavCount('/backups', total);
  }, [total]);

  const failure = error === null ? undefined : toServiceError(error);
  // Nothing to try again and nothing to show: the page says what is missing, as every other does.
  if (failure?.status === 403 && all === undefined) throw failure;
  const sort = toSort(view.sort);
  const onSort = (next: Sort) => show({ ...view, sort: fromSort(next, SORT_KEYS) });
  return (
    <Page fill title="Backups" meta={all && metaOf(all)} actions={<RequestLink />}>
      <ScheduleCard />
      <BackupsBar
        {...typed}
        {...{ hidden, sort, onSort, failure }}
        counts={found?.counts}
        asOf={all && dataUpdatedAt}
        // While it is read by itself again and again, nothing turns.
        refreshing={isFetching && all?.some(isBeingMade) !== true}
        refresh={() => void refetch()}
      />
      <DataTable
        label="Backups"
        columns={COLUMNS}
        rows={found?.rows}
        rowId={nameOf}
        rowLabel={nameOf}
        rowMenu={rowMenu}
        hidden={hidden}
        sort={sort}
        onSort={onSort}
        refetching={isFetching && failure !== undefined}
        error={failure}
        onRetry={() => void refetch()}
        empty={
          <EmptyState icon={Archive} title={`${site.name} has no backup yet`} actions={<RequestLink />}>
            A backup is one file with everything of the site, from which it can be restored. Ask for the first
            one, or have one made every day.
          </EmptyState>
        }
        onClearFilters={isNarrowed(view) ? () => show({ ...view, q: '', status: [], kind: [] }) : undefined}
      />
    </Page>
  );
}

/** What one asked for oneself is followed in the tray, after a reload as well. */
function useOwnInTray(all: readonly Backup[] | undefined): void {
  const client = useQueryClient();
  const { id } = useSession().user;
  const own = all?.find((one) => isBeingMade(one) && one.requestedBy === id && !one.isScheduled)?.fileName;
  useEffect(() => {
    if (own !== undefined) void watchBackup(own, client);
  }, [own, client]);
}

function metaOf(all: readonly Backup[]): string {
  const bytes = all.reduce((sum, { size }) => sum + (size ?? 0), 0);
  return `${counted(all.length, 'backup', 'backups')}${bytes > 0 ? ` · ${sizeWords(bytes)}` : ''}`;
}

function RequestLink() {
  return (
    <Link to="/backups/new" search={(now) => now} className={buttonClass({ variant: 'primary' })}>
      <Plus />
      Request a backup
    </Link>
  );
}
