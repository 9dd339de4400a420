import { Link } from '@tanstack/react-router';
import { Copy } from 'lucide-react';
import { copyText } from '../../../ui/button/CopyButton.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import type { Backup } from '../model/backups.ts';
import { formatRequester, formatContents, formatShortHash } from '../model/format.ts';
import { formatSize } from '../model/units.ts';
import { BackupState } from './BackupState.tsx';
import { DownloadButton } from './DownloadButton.tsx';
import '../panels/backups.css';
import '../../../directory/person-columns.css';

const none = <span className="person-none">—</span>;

/** Columns of the list of backups. */
export const COLUMNS: readonly Column<Backup>[] = [
  {
    id: 'name',
    header: 'File',
    minWidth: 222,
    sortable: true,
    cell: ({ fileName }, { tabIndex }) => (
      <Link to="/backups/$fileName" params={{ fileName }} tabIndex={tabIndex} title={fileName}>
        {fileName}
      </Link>
    ),
  },
  {
    id: 'status',
    header: 'State',
    width: 172,
    sortable: true,
    small: 'aside',
    cell: (backup) => <BackupState backup={backup} />,
  },
  {
    id: 'when',
    header: 'Requested',
    width: 116,
    sortable: true,
    cell: ({ createdDate }, { tabIndex }) =>
      createdDate === undefined ? none : <Timestamp at={createdDate} tabIndex={tabIndex} />,
  },
  {
    id: 'size',
    header: 'Size',
    width: 84,
    align: 'end',
    sortable: true,
    cell: ({ size }) => (typeof size === 'number' ? formatSize(size) : none),
  },
  {
    id: 'contents',
    header: 'Contents',
    width: 132,
    small: 'line',
    cell: (backup) => (
      <span className="person-soft" title={backup.entryTypes?.join(', ')}>
        {formatContents(backup)}
      </span>
    ),
  },
  {
    id: 'kind',
    header: 'By',
    width: 106,
    cell: (backup) => (
      <span className="person-soft" title={formatRequester(backup)}>
        {formatRequester(backup)}
      </span>
    ),
  },
  {
    id: 'sha256',
    header: 'SHA-256',
    width: 130,
    cell: ({ fileName, sha256 }, { tabIndex }) =>
      sha256 ? (
        <span className="backup-hash">
          <span className="mono" title={sha256}>
            {formatShortHash(sha256)}
          </span>
          <IconButton
            label={`Copy SHA-256 of ${fileName}`}
            icon={Copy}
            size="small"
            tabIndex={tabIndex}
            onClick={() => void copyText(sha256)}
          />
        </span>
      ) : (
        none
      ),
  },
  {
    id: 'download',
    header: 'Download',
    width: 126,
    small: 'line',
    cell: (backup, { tabIndex }) => <DownloadButton backup={backup} size="small" tabIndex={tabIndex} />,
  },
];
