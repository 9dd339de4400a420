import { useQuery } from '@tanstack/react-query';
import { FileArchive } from 'lucide-react';
import type { BackupMember } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { readBackupContentsOptions } from '../../../api/generated/queries/backups.gen.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import type { Backup } from '../model/backups.ts';
import { getNoFileReason, formatShortHash } from '../model/format.ts';

const COLUMNS: readonly Column<BackupMember>[] = [
  {
    id: 'name',
    header: 'Member',
    minWidth: 220,
    cell: ({ name, title }) => (
      <span title={name}>
        {title ?? name} {title ? <span className="person-soft">{name}</span> : null}
      </span>
    ),
  },
  {
    id: 'rows',
    header: 'Records',
    width: 120,
    align: 'end',
    small: 'aside',
    cell: ({ rows }) => (typeof rows === 'number' ? formatNumber(rows) : '—'),
  },
  { id: 'size', header: 'Size', width: 110, align: 'end', cell: ({ size }) => formatSize(size) },
  {
    id: 'sha256',
    header: 'SHA-256',
    width: 140,
    small: 'line',
    cell: ({ sha256 }) => (
      <span className="mono" title={sha256}>
        {formatShortHash(sha256)}
      </span>
    ),
  },
];
const getMemberName = ({ name }: BackupMember) => name;

/** Contents of a backup by its manifest. */
export function ContentsTab({ backup }: { backup: Backup }) {
  const noFile = getNoFileReason(backup);
  const query = readBackupContentsOptions({ path: { fileName: backup.fileName } });
  const { data, error, refetch, isFetching } = useQuery({
    ...query,
    enabled: noFile === undefined,
    staleTime: Infinity,
  });
  if (noFile !== undefined)
    return (
      <EmptyState icon={FileArchive} title="No contents">
        {noFile}.
      </EmptyState>
    );
  return (
    <DataTable
      label="Contents"
      columns={COLUMNS}
      rows={data?.members}
      rowId={getMemberName}
      rowLabel={getMemberName}
      error={error === null ? undefined : toServiceError(error)}
      onRetry={() => void refetch()}
      refetching={isFetching && error !== null}
      empty={<EmptyState icon={FileArchive} title="The backup is empty" />}
      footer={data && <Summary members={data.members} formatVersion={data.formatVersion} />}
    />
  );
}

function Summary({ members, formatVersion }: { members: readonly BackupMember[]; formatVersion: number }) {
  const rows = members.reduce((sum, { rows: own }) => sum + (own ?? 0), 0);
  const bytes = members.reduce((sum, { size }) => sum + size, 0);
  return (
    <span className="num">
      {formatNumber(members.length)} members · {formatNumber(rows)} records · {formatSize(bytes)} before
      compression · format {formatVersion}
    </span>
  );
}
