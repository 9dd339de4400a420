import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Ban, Copy, Download, FileArchive, GitCompareArrows, ShieldCheck, Trash2 } from 'lucide-react';
import {
  cancelBackupMutation,
  deleteBackupMutation,
  verifyBackupMutation,
} from '../../../api/generated/queries/backups.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toastFailedWrite } from '../../../app/state/failed-write.ts';
import { formatShortDate } from '../../../lib/dates/dates.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { copyText } from '../../../ui/button/CopyButton.tsx';
import { confirmIrreversible } from '../../../ui/dialog/confirm-irreversible.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import type { MenuItemData, MenuItems } from '../../../ui/menu/menu-items.ts';
import { toast } from '../../../ui/toast.ts';
import { startDownload } from '../download/download.ts';
import { watchVerification } from '../download/watch-verification.ts';
import type { Backup } from '../model/backups.ts';
import { isInProgress } from '../model/backups.ts';
import { getNoFileReason } from '../model/format.ts';

/** Actions on a backup; each shows a message with its result. */
function useBackupActions() {
  const client = useQueryClient();
  const verification = useWrite('verifyBackup', verifyBackupMutation());
  const cancellation = useWrite('cancelBackup', cancelBackupMutation());
  const deletion = useWrite('deleteBackup', deleteBackupMutation());
  return {
    async verify({ fileName }: Backup): Promise<void> {
      try {
        await verification.mutateAsync({ path: { fileName } });
        void watchVerification(fileName, client);
        toast({ title: 'Verification started', description: fileName, tone: 'info' });
      } catch (thrown) {
        toastFailedWrite(`The verification of ${fileName}`, 'started', thrown);
      }
    },
    cancel: async ({ fileName }: Backup): Promise<void> => {
      await confirm({
        title: `Cancel ${fileName}?`,
        body: 'The data written so far is discarded. The backup stays in the list as cancelled.',
        action: 'Cancel backup',
        cancel: 'Continue backup',
        run: () => cancellation.mutateAsync({ path: { fileName } }),
      });
    },
    /** Resolves to whether the backup was deleted. */
    async remove(backup: Backup): Promise<boolean> {
      const { fileName } = backup;
      const isDeleted = await confirmIrreversible({
        title: `Delete ${fileName}?`,
        ...describeDeletion(backup),
        action: 'Delete backup',
        expectedText: fileName,
        run: () => deletion.mutateAsync({ path: { fileName } }),
      });
      if (isDeleted) toast({ title: `${fileName} was deleted` });
      return isDeleted;
    },
  };
}

/** Texts of the confirmation to delete a backup. */
function describeDeletion(backup: Backup) {
  const { size, createdDate } = backup;
  const details = [
    ...(typeof size === 'number' ? [formatSize(size)] : []),
    ...(createdDate === undefined ? [] : [`requested ${formatShortDate(createdDate)}`]),
  ].join(', ');
  return {
    irreversible: `This cannot be undone. The service keeps no copy${details === '' ? '' : ` (${details})`}.`,
    breaks: `Data that only this backup contains can be restored from a downloaded file only.${isInProgress(backup) ? ' The backup is still in progress and is cancelled first.' : ''}`,
    affects:
      'Everyone who manages backups of the site. The deletion is recorded with your name, and the list of downloads is kept.',
  };
}

const getVerificationReason = ({ verified }: Backup): string | undefined =>
  verified?.state === 'queued' || verified?.state === 'running'
    ? 'A verification is already in progress'
    : undefined;

/** Menu of a backup, for the list and the page. `onDeleted` is called after a deletion. */
export function useBackupMenu(onDeleted?: () => void) {
  const actions = useBackupActions();
  const verify = usePermission('verifyBackup').reason;
  const stop = usePermission('cancelBackup').reason;
  const remove = usePermission('deleteBackup').reason;
  return (backup: Backup): readonly MenuItemData[] => [
    {
      label: 'Verify now',
      hint: 'Test-restored and compared',
      icon: ShieldCheck,
      disabledReason: verify ?? getNoFileReason(backup) ?? getVerificationReason(backup),
      onSelect: () => void actions.verify(backup),
    },
    ...(isInProgress(backup)
      ? [{ label: 'Cancel…', icon: Ban, disabledReason: stop, onSelect: () => void actions.cancel(backup) }]
      : []),
    {
      label: 'Delete…',
      icon: Trash2,
      danger: true,
      disabledReason: remove,
      onSelect: () => void actions.remove(backup).then((isDeleted) => isDeleted && onDeleted?.()),
    },
  ];
}

/** Menu of a row. */
export function useRowMenu() {
  const router = useRouter();
  const client = useQueryClient();
  const download = usePermission('createBackupDownload').reason;
  const items = useBackupMenu();
  return (backup: Backup): MenuItems => {
    const { fileName, sha256 } = backup;
    const open = (tab?: 'compare') => () =>
      void router.navigate({
        to: '/backups/$fileName',
        params: { fileName },
        search: tab === undefined ? {} : { tab },
      });
    const noFile = getNoFileReason(backup);
    return [
      { label: 'Open', icon: FileArchive, onSelect: open() },
      {
        label: 'Download',
        icon: Download,
        disabledReason: download ?? noFile,
        onSelect: () => void startDownload(backup, client),
      },
      {
        label: 'Compare with previous backup',
        icon: GitCompareArrows,
        disabledReason: noFile,
        onSelect: open('compare'),
      },
      {
        label: 'Copy SHA-256',
        icon: Copy,
        disabledReason: sha256 ? undefined : (noFile ?? 'The service provides none'),
        onSelect: () => void copyText(sha256 ?? ''),
      },
      'line',
      ...items(backup),
    ];
  };
}
