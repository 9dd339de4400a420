import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FileDown, Trash2 } from 'lucide-react';
import { toServiceError } from '../../../api/errors.ts';
import { holderOf } from '../../../api/session-query.ts';
import { useSession } from '../../../api/session.ts';
import { dropExport, exportsChanged, keptExports } from '../../../export/keep.ts';
import type { KeptExport } from '../../../export/keep.ts';
import { FILE_DAYS, MOST_BYTES, RECORD_DAYS } from '../../../export/limits.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import { useStore } from '../../../ui/store.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { COLUMNS } from './-columns.tsx';
import { sizeWord, summary } from './-words.ts';
import './-exports.css';

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
