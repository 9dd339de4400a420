import { useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { usePermission } from '../../../api/session.ts';
import { formatProgressPercent } from '../../../lib/percentages.ts';
import type { ButtonLook } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { startDownload, useDownloads } from '../download/download.ts';
import type { DownloadItem } from '../download/resumable-download.ts';
import type { Backup } from '../model/backups.ts';
import { getNoFileReason } from '../model/format.ts';

interface DownloadButtonProps extends ButtonLook {
  backup: Backup;
  tabIndex?: 0 | -1;
}

const formatReceived = ({ received, size }: DownloadItem): string =>
  size ? formatProgressPercent(received / size) : '…';

/** Starts or continues a download; shows the progress while it is running. */
export function DownloadButton({ backup, tabIndex = 0, ...look }: DownloadButtonProps) {
  const client = useQueryClient();
  const { reason } = usePermission('createBackupDownload');
  const download = useDownloads().get(backup.fileName);
  const isPaused = download?.phase === 'paused';
  const isRunning =
    download?.phase === 'requestingLink' || download?.phase === 'running' || download?.phase === 'waiting';
  const verb = isPaused ? 'Continue' : 'Download';
  return (
    <Button
      {...look}
      icon={Download}
      tabIndex={tabIndex}
      pending={isRunning}
      aria-label={`${verb} ${backup.fileName}`}
      disabledReason={reason ?? getNoFileReason(backup)}
      onClick={() => void startDownload(backup, client)}
    >
      {isRunning ? formatReceived(download) : verb}
    </Button>
  );
}
