import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { toServiceError } from '../../../api/errors.ts';
import { listBackupDownloadsOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { BackupDownloadRecord } from '../../../api/generated/types.gen.ts';
import { sizeWords } from '../../../backups/units.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';

const COLUMNS: readonly Column<BackupDownloadRecord>[] = [
  {
    id: 'person',
    header: 'Person',
    minWidth: 170,
    cell: ({ userId, fullName, userName }, { tabIndex }) => (
      <Link to="/users/$userId" params={{ userId }} tabIndex={tabIndex} title={userName}>
        {fullName === '' ? userName : fullName}
      </Link>
    ),
  },
  { id: 'email', header: 'E-mail', minWidth: 170, cell: ({ userName }) => userName },
  {
    id: 'when',
    header: 'Begun',
    width: 120,
    small: 'aside',
    cell: ({ startedDate }, { tabIndex }) => <Moment at={startedDate} tabIndex={tabIndex} />,
  },
  {
    id: 'address',
    header: 'From',
    width: 160,
    small: 'line',
    cell: ({ ipAddress }) => <span className="mono">{ipAddress ?? '—'}</span>,
  },
  { id: 'sent', header: 'Sent', width: 110, align: 'end', cell: ({ bytesSent }) => sizeWords(bytesSent) },
  {
    id: 'end',
    header: 'End',
    width: 130,
    cell: ({ isComplete }) => (
      <Badge tone={isComplete ? 'ok' : 'neutral'}>{isComplete ? 'Complete' : 'Not complete'}</Badge>
    ),
  },
];
const idOf = ({ startedDate, userId, ipAddress }: BackupDownloadRecord) =>
  `${startedDate} ${userId} ${ipAddress ?? ''}`;
const nameOf = ({ fullName, userName }: BackupDownloadRecord) => (fullName === '' ? userName : fullName);

/** Who has it, since when, and from where. */
export function DownloadsTab({ fileName }: { fileName: string }) {
  const query = useQuery({ ...listBackupDownloadsOptions({ path: { fileName } }), staleTime: 0 });
  const { data, error, refetch, isFetching } = query;
  return (
    <DataTable
      label="Downloads"
      columns={COLUMNS}
      rows={data}
      rowId={idOf}
      rowLabel={nameOf}
      error={error === null ? undefined : toServiceError(error)}
      onRetry={() => void refetch()}
      refetching={isFetching && error !== null}
      empty={
        <EmptyState icon={Download} title="Nobody has downloaded it">
          Each download is listed here, with the person, the time and the address it came from.
        </EmptyState>
      }
    />
  );
}
