import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { Archive, Plus, RefreshCw, CalendarClock } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { useSession } from '../../../api/session.ts';
import { backupsQuery, isBeingMade } from '../download/list.ts';
import type { Backup } from '../download/list.ts';
import { sizeWords } from '../download/units.ts';
import { watchBackup } from '../download/watch.ts';
import { counted } from '../../../lib/numbers.ts';
import { setNavCount } from '../../../app/shell/nav-counts.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { Sort } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { useMedia } from '../../../ui/use-media.ts';
import { fromSort, toSort } from '../../../ui/table/sort.ts';
import { COLUMNS } from './columns.tsx';
import { useRowMenu } from './use-items.ts';
import { findBackups, isNarrowed, SORT_KEYS, KINDS, STATES, readView, writeView } from '../model/view.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { clockTime } from '../../../lib/dates.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { FilterChip } from '../../../ui/table/FilterChip.tsx';
import { AsOf, TableBar } from '../../../ui/table/TableBar.tsx';
import { TableTools } from '../../../ui/table/TableTools.tsx';
import { KIND_WORDS, STATE_LABELS } from '../model/words.ts';
import { useTypedView } from '../../../ui/table/use-typed-view.ts';
import { getBackupSettingsOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { BackupSettings } from '../../../api/generated/types.gen.ts';
import { distance } from '../../../lib/ends.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { readerZone } from '../../../lib/site-zone.ts';
import { StateBadge, Verified } from './State.tsx';
import { clockWords, nextAt, ruleWords } from '../model/schedule-words.ts';
import './backups.css';

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

interface BackupsBarProps extends ReturnType<typeof useView> {
  hidden: readonly string[];
  sort: Sort;
  onSort: (sort: Sort) => void;
  counts: ReturnType<typeof findBackups>['counts'] | undefined;
  /** When the list was read; undefined before. */
  asOf: number | undefined;
  failure: ServiceError | undefined;
  refreshing: boolean;
  refresh: () => void;
}

/** Search, states and kinds, each with how many it would show; how fresh the list is; its columns. */
function BackupsBar(props: BackupsBarProps) {
  const { view, show, type, settle, hidden, sort, onSort, counts, asOf, failure, refreshing, refresh } =
    props;
  return (
    <TableBar
      tools={
        <>
          {asOf !== undefined && <AsOf tone={failure ? 'bad' : 'ok'}>As of {clockTime(asOf)}</AsOf>}
          <IconButton label="Read again" icon={RefreshCw} pending={refreshing} onClick={refresh} />
          <TableTools
            columns={COLUMNS}
            hidden={hidden}
            onHide={(next) => show({ ...view, hidden: next }, true)}
            sort={sort}
            onSort={onSort}
          />
        </>
      }
    >
      <SearchField
        label="Search backups"
        placeholder="File, person, type or SHA-256"
        value={view.q}
        onChange={type}
        onLeave={settle}
      />
      <FilterChip
        label="State"
        options={STATES.map((value) => ({
          value,
          label: STATE_LABELS[value],
          count: counts?.state[value] ?? 0,
        }))}
        value={view.status}
        onChange={(status) => show({ ...view, status })}
      />
      <FilterChip
        label="Kind"
        options={KINDS.map((value) => ({ value, label: KIND_WORDS[value], count: counts?.kind[value] ?? 0 }))}
        value={view.kind}
        onChange={(kind) => show({ ...view, kind })}
      />
    </TableBar>
  );
}

const route = getRouteApi('/_app/backups/_list');

/** The view of the list that the address says, with what is being typed. */
function useView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const said = useMemo(() => readView({ ...search }), [search]);
  return useTypedView({
    said,
    write: (view, replace) => navigate({ to: '.', search: writeView(view), replace }),
  });
}

/** The schedule in one line, with the way to change it. */
function ScheduleCard() {
  const { data, error, refetch, isFetching } = useQuery(getBackupSettingsOptions());
  return (
    <section className="card backup-schedule" aria-label="Schedule">
      <CalendarClock />
      <div className="backup-schedule-text">
        {data && <Words settings={data} />}
        {data?.isDaily && <Last />}
        {!data && error && <span>The schedule was not read: {toServiceError(error).message}.</span>}
        {!data && !error && <Skeleton width="320px" />}
      </div>
      {!data && error ? (
        <Button size="small" pending={isFetching} onClick={() => void refetch()}>
          Try again
        </Button>
      ) : (
        <Link
          to="/backups/schedule"
          search={(now) => now}
          className={buttonClass({ size: 'small' })}
          aria-label="Change the schedule"
        >
          Change
        </Link>
      )}
    </section>
  );
}

/** How it went the last time: whether there is a file, and whether it was proved. */
function Last() {
  const { data: all } = useQuery(backupsQuery);
  const last = all?.find((one) => one.isScheduled && !isBeingMade(one));
  if (!last) return null;
  return (
    <span className="backup-last">
      <Link to="/backups/$fileName" params={{ fileName: last.fileName }}>
        The last one
      </Link>
      <StateBadge backup={last} />
      {last.verified && <Verified verified={last.verified} />}
    </span>
  );
}

function Words({ settings }: { settings: BackupSettings }) {
  const { timeZone } = useSession().site;
  const { isDaily, hour } = settings;
  if (!isDaily)
    return (
      <>
        <strong>No schedule.</strong> A backup is made only when somebody asks for one.
      </>
    );
  return (
    <>
      <strong>Every day at {clockWords(hour, timeZone, readerZone())}</strong>{' '}
      <span className="person-soft">
        {ruleWords(settings)} · next {distance(new Date(nextAt(hour, timeZone)))}
      </span>
    </>
  );
}
