import { useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useAllowed } from '../../../api/session.ts';
import { startDownload, useDownloads } from '../download/download.ts';
import type { ShownDownload } from '../download/download.ts';
import type { Backup } from '../download/list.ts';
import { Button } from '../../../ui/button/Button.tsx';
import type { ButtonLook } from '../../../ui/button/button-class.ts';
import { noFileWords } from '../model/words.ts';

interface DownloadButtonProps extends ButtonLook {
  backup: Backup;
  tabIndex?: 0 | -1;
}

const percentOf = ({ received, size }: ShownDownload): string =>
  size ? `${Math.floor((received / size) * 100)} %` : '…';

/** One press: the file comes to the disk. While it comes, the button says how far it is. */
export function DownloadButton({ backup, tabIndex = 0, ...look }: DownloadButtonProps) {
  const client = useQueryClient();
  const { reason } = useAllowed('createBackupDownload');
  const now = useDownloads().get(backup.fileName);
  const isPaused = now?.phase === 'paused';
  const isComing = now?.phase === 'asking' || now?.phase === 'running' || now?.phase === 'waiting';
  const verb = isPaused ? 'Continue' : 'Download';
  return (
    <Button
      {...look}
      icon={Download}
      tabIndex={tabIndex}
      pending={isComing}
      aria-label={`${verb} ${backup.fileName}`}
      disabledReason={reason ?? noFileWords(backup)}
      onClick={() => void startDownload(backup, client)}
    >
      {isComing ? percentOf(now) : verb}
    </Button>
  );
}
