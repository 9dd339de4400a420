import { Link } from '@tanstack/react-router';
import { Copy } from 'lucide-react';
import type { Backup } from '../download/list.ts';
import { sizeWords } from '../download/units.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { copyText } from '../../../ui/button/copy.ts';
import { DownloadButton } from './DownloadButton.tsx';
import { State } from './State.tsx';
import { askedWords, contentsWords, shortHash } from '../model/words.ts';
import './backups.css';
import '../../../directory/person-columns.css';

const none = <span className="person-none">—</span>;

/** The columns of the list, in the order of what people look for. */
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
    cell: (backup) => <State backup={backup} />,
  },
  {
    id: 'when',
    header: 'Asked',
    width: 116,
    sortable: true,
    cell: ({ createdDate }, { tabIndex }) =>
      createdDate === undefined ? none : <Moment at={createdDate} tabIndex={tabIndex} />,
  },
  {
    id: 'size',
    header: 'Size',
    width: 84,
    align: 'end',
    sortable: true,
    cell: ({ size }) => (typeof size === 'number' ? sizeWords(size) : none),
  },
  {
    id: 'contents',
    header: 'Contents',
    width: 132,
    small: 'line',
    cell: (backup) => (
      <span className="person-soft" title={backup.entryTypes?.join(', ')}>
        {contentsWords(backup)}
      </span>
    ),
  },
  {
    id: 'kind',
    header: 'By',
    width: 106,
    cell: (backup) => (
      <span className="person-soft" title={askedWords(backup)}>
        {askedWords(backup)}
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
            {shortHash(sha256)}
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
