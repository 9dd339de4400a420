import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FileDown, Trash2, Download } from 'lucide-react';
import { toServiceError } from '../../../api/errors.ts';
import { holderOf } from '../../../api/session-query.ts';
import { useSession, useAllowed } from '../../../api/session.ts';
import { dropExport, exportsChanged, keptExports, fileOf } from '../keep.ts';
import type { KeptExport } from '../keep.ts';
import { FILE_DAYS, MOST_BYTES, RECORD_DAYS } from '../limits.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import { useStore } from '../../../ui/store.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { fetchAgain } from '../fetch-again.ts';
import { count } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import type { Tone } from '../../../ui/layout/tone.ts';
import type { Column } from '../../../ui/table/columns.ts';
import { readView as readActivity, writeView as writeActivity } from '../../activity/model/view.ts';
import { readView, writeView } from '../../users/model/view.ts';
import './exports.css';

const UNITS = ['byte', 'kilobyte', 'megabyte'] as const;
const seconds = new Intl.NumberFormat(undefined, {
  style: 'unit',
  unit: 'second',
  unitDisplay: 'short',
  maximumFractionDigits: 1,
});

/** "1.2 MB"; nothing where no file was made. */
function sizeWord({ size }: Pick<KeptExport, 'size'>): string {
  if (size === 0) return '';
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(size) / 3));
  const unit = UNITS[step] ?? 'byte';
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: step === 2 ? 1 : 0,
  }).format(size / 1000 ** step);
}

const tookWord = ({ took }: Pick<KeptExport, 'took'>): string => seconds.format(took / 1000);

type State = 'Kept' | 'No longer kept' | 'Failed' | 'Stopped';

/** What became of an export, and of its file. */
function stateOf({ state, isFileKept }: Pick<KeptExport, 'state' | 'isFileKept'>): State {
  if (state === 'done') return isFileKept ? 'Kept' : 'No longer kept';
  return state === 'failed' ? 'Failed' : 'Stopped';
}

/** Why an export cannot be fetched again; undefined: it can. */
function unfetchable(one: KeptExport): string | undefined {
  if (one.isFileKept) return undefined;
  return one.state === 'done' ? 'The file is no longer kept' : 'No file was made';
}

/** "3 exports, 2 files kept". */
const summary = (all: readonly KeptExport[]): string =>
  `${count(all.length)} ${all.length === 1 ? 'export' : 'exports'} · ${count(all.filter((one) => one.isFileKept).length)} with a file`;

const idOf = ({ id }: KeptExport) => id;
const nameOf = ({ name }: KeptExport) => name;

const rowMenu = (one: KeptExport): MenuItems => [
  { label: 'Remove', icon: Trash2, danger: true, onSelect: () => void dropExport(one.id) },
];

/** What was exported in this browser: nothing of it is kept by the service but that it happened. */
export function ExportsPage() {
  const holder = holderOf(useSession());
  const change = useStore(exportsChanged);
  const { data, error, refetch, isRefetching } = useQuery({
    queryKey: [{ _id: 'exports', holder, change }],
    queryFn: () => keptExports(holder),
    // Another tab may have exported.
    staleTime: 0,
    gcTime: 0,
    retry: false,
    placeholderData: (before) => before,
  });
  return (
    <Page fill title="Exports" meta={data && data.length > 0 && summary(data)}>
      <p className="exports-note">
        Exports of the last {RECORD_DAYS} days from this browser. Files are kept here for {FILE_DAYS} days,
        the latest {sizeWord({ size: MOST_BYTES })} of them; signing out removes everything. That an export
        was made, or fetched again, stands in the activity of the site.
      </p>
      <DataTable
        label="Exports"
        columns={COLUMNS}
        rows={data}
        rowId={idOf}
        rowLabel={nameOf}
        rowMenu={rowMenu}
        error={error === null ? undefined : toServiceError(error)}
        onRetry={() => void refetch()}
        refetching={isRefetching && error !== null}
        empty={
          <EmptyState
            icon={FileDown}
            title="Nothing was exported here yet"
            actions={
              <Link to="/users" className={buttonClass({})}>
                Go to users
              </Link>
            }
          >
            Find the people you want in the list of users and choose Export.
          </EmptyState>
        }
      />
    </Page>
  );
}

const TONES: Record<ReturnType<typeof stateOf>, Tone> = {
  Kept: 'ok',
  'No longer kept': 'neutral',
  Failed: 'bad',
  Stopped: 'warn',
};

/** The list that was exported, where there was one to come back to. */
function ListLink({ one: { query, search, subject }, tabIndex }: { one: KeptExport; tabIndex: 0 | -1 }) {
  if (!search) return query;
  if (subject === 'activity') {
    return (
      <Link to="/activity" search={writeActivity(readActivity(search))} tabIndex={tabIndex} title={query}>
        {query}
      </Link>
    );
  }
  return (
    <Link to="/users" search={writeView(readView(search))} tabIndex={tabIndex} title={query}>
      {query}
    </Link>
  );
}

/** What somebody comes to this page for stands in the row. */
function Again({ one, tabIndex }: { one: KeptExport; tabIndex: 0 | -1 }) {
  const { reason: notNow } = useAllowed('recordExport');
  return (
    <Button
      size="small"
      icon={Download}
      tabIndex={tabIndex}
      aria-label={`Download ${one.name} again`}
      disabledReason={notNow ?? unfetchable(one)}
      onClick={() => void fetchAgain(one, () => fileOf(one.id))}
    >
      Download
    </Button>
  );
}

/** The columns of the exports of this browser. */
const COLUMNS: readonly Column<KeptExport>[] = [
  { id: 'name', header: 'File', minWidth: 190, cell: ({ name }) => <span title={name}>{name}</span> },
  {
    id: 'query',
    header: 'Asked for',
    minWidth: 150,
    small: 'line',
    cell: (one, { tabIndex }) => (
      <>
        <ListLink one={one} tabIndex={tabIndex} />
        {one.why !== undefined && (
          <span className="exports-why" title={one.why}>
            {` · ${one.why}`}
          </span>
        )}
      </>
    ),
  },
  { id: 'rows', header: 'Rows', width: 70, align: 'end', cell: ({ rows }) => count(rows) },
  { id: 'size', header: 'Size', width: 80, align: 'end', cell: sizeWord },
  { id: 'took', header: 'Took', width: 84, align: 'end', cell: tookWord },
  {
    id: 'at',
    header: 'Exported',
    width: 96,
    cell: ({ at }, { tabIndex }) => <Moment at={at} tabIndex={tabIndex} />,
  },
  {
    id: 'state',
    header: 'State',
    width: 124,
    small: 'aside',
    cell: (one) => <Badge tone={TONES[stateOf(one)]}>{stateOf(one)}</Badge>,
  },
  {
    id: 'again',
    header: 'Again',
    width: 124,
    small: 'line',
    cell: (one, { tabIndex }) => <Again one={one} tabIndex={tabIndex} />,
  },
];
