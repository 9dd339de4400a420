import { useQuery } from '@tanstack/react-query';
import { FileArchive } from 'lucide-react';
import { toServiceError } from '../../../api/errors.ts';
import { readBackupContentsOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { BackupMember } from '../../../api/generated/types.gen.ts';
import type { Backup } from '../download/list.ts';
import { sizeWords } from '../download/units.ts';
import { count } from '../../../lib/numbers.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { noFileWords, shortHash } from '../model/words.ts';

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
    cell: ({ rows }) => (typeof rows === 'number' ? count(rows) : '—'),
  },
  { id: 'size', header: 'Size', width: 110, align: 'end', cell: ({ size }) => sizeWords(size) },
  {
    id: 'sha256',
    header: 'SHA-256',
    width: 140,
    small: 'line',
    cell: ({ sha256 }) => (
      <span className="mono" title={sha256}>
        {shortHash(sha256)}
      </span>
    ),
  },
];
const nameOf = ({ name }: BackupMember) => name;

/** What is in the file, as its manifest says it. */
export function ContentsTab({ backup }: { backup: Backup }) {
  const noFile = noFileWords(backup);
  const query = readBackupContentsOptions({ path: { fileName: backup.fileName } });
  const { data, error, refetch, isFetching } = useQuery({
    ...query,
    enabled: noFile === undefined,
    staleTime: Infinity,
  });
  if (noFile !== undefined)
    return (
      <EmptyState icon={FileArchive} title="Nothing to look into">
        {noFile}.
      </EmptyState>
    );
  return (
    <DataTable
      label="Contents"
      columns={COLUMNS}
      rows={data?.members}
      rowId={nameOf}
      rowLabel={nameOf}
      error={error === null ? undefined : toServiceError(error)}
      onRetry={() => void refetch()}
      refetching={isFetching && error !== null}
      empty={<EmptyState icon={FileArchive} title="The file has no members" />}
      footer={data && <Summary members={data.members} formatVersion={data.formatVersion} />}
    />
  );
}

function Summary({ members, formatVersion }: { members: readonly BackupMember[]; formatVersion: number }) {
  const rows = members.reduce((sum, { rows: own }) => sum + (own ?? 0), 0);
  const bytes = members.reduce((sum, { size }) => sum + size, 0);
  return (
    <span className="num">
      {count(members.length)} members · {count(rows)} records · {sizeWords(bytes)} before compression · format{' '}
      {formatVersion}
    </span>
  );
}
