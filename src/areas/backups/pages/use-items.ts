import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Ban, Copy, Download, FileArchive, GitCompareArrows, ShieldCheck, Trash2 } from 'lucide-react';
import { useAllowed } from '../../../api/session.ts';
import { startDownload } from '../download/download.ts';
import { isBeingMade } from '../download/list.ts';
import type { Backup } from '../download/list.ts';
import type { MenuItemData, MenuItems } from '../../../ui/menu/menu-items.ts';
import { copyText } from '../../../ui/button/copy.ts';
import { useActs } from './use-acts.tsx';
import { noFileWords } from '../model/words.ts';

const goesOn = ({ verified }: Backup): string | undefined =>
  verified?.state === 'queued' || verified?.state === 'running' ? 'It is being verified already' : undefined;

/** What can be done with a backup; the list and its page offer the same. `leave` is called once it is deleted. */
export function useBackupItems(leave?: () => void) {
  const acts = useActs();
  const verify = useAllowed('verifyBackup').reason;
  const stop = useAllowed('cancelBackup').reason;
  const remove = useAllowed('deleteBackup').reason;
  return (backup: Backup): readonly MenuItemData[] => [
    {
      label: 'Verify now',
      hint: 'Restores it aside and compares',
      icon: ShieldCheck,
      disabledReason: verify ?? noFileWords(backup) ?? goesOn(backup),
      onSelect: () => void acts.verify(backup),
    },
    ...(isBeingMade(backup)
      ? [{ label: 'Cancel…', icon: Ban, disabledReason: stop, onSelect: () => void acts.cancel(backup) }]
      : []),
    {
      label: 'Delete…',
      icon: Trash2,
      danger: true,
      disabledReason: remove,
      onSelect: () => void acts.remove(backup).then((gone) => gone && leave?.()),
    },
  ];
}

/** The menu of a row. */
export function useRowMenu() {
  const router = useRouter();
  const client = useQueryClient();
  const download = useAllowed('createBackupDownload').reason;
  const items = useBackupItems();
  return (backup: Backup): MenuItems => {
    const { fileName, sha256 } = backup;
    const open = (tab?: 'compare') => () =>
      void router.navigate({
        to: '/backups/$fileName',
        params: { fileName },
        search: tab === undefined ? {} : { tab },
      });
    const noFile = noFileWords(backup);
    return [
      { label: 'Open', icon: FileArchive, onSelect: open() },
      {
        label: 'Download',
        icon: Download,
        disabledReason: download ?? noFile,
        onSelect: () => void startDownload(backup, client),
      },
      {
        label: 'Compare with the previous one',
        icon: GitCompareArrows,
        disabledReason: noFile,
        onSelect: open('compare'),
      },
      {
        label: 'Copy SHA-256',
        icon: Copy,
        disabledReason: sha256 ? undefined : (noFile ?? 'The service tells none'),
        onSelect: () => void copyText(sha256 ?? ''),
      },
      'line',
      ...items(backup),
    ];
  };
}
