import { Archive, CalendarClock, FileCheck2, Plus } from 'lucide-react';
import { listBackupsOptions } from '../../api/generated/queries/backups.gen.ts';
import type { PaletteContext, PaletteContribution } from '../../app/state/palette.ts';
import { formatDistance } from '../../lib/dates/dates.ts';
import { rankByLabel } from '../../lib/text/rank.ts';
import { toBackups } from './model/backups.ts';

const MAX_BACKUPS = 5;

async function loadBackupItems({ client, navigate }: PaletteContext) {
  const answer = await client.ensureQueryData(listBackupsOptions());
  return toBackups(answer).map(({ fileName, createdDate }) => ({
    label: fileName,
    hint: createdDate === undefined ? undefined : formatDistance(createdDate),
    icon: Archive,
    run: () => void navigate({ to: '/backups/$fileName', params: { fileName } }),
  }));
}

const palette: PaletteContribution = {
  pasteSources: [
    {
      name: 'Backups',
      needs: 'listBackups',
      async find(text, context) {
        const found = (await loadBackupItems(context)).filter(({ label }) => text.includes(label));
        return { items: found.slice(0, MAX_BACKUPS), total: found.length };
      },
    },
  ],
  pages: [
    { label: 'Request a backup', hint: 'Backups', icon: Plus, href: '/backups/new', needs: 'requestBackup' },
    {
      label: 'Verify a backup file',
      hint: 'Backups',
      icon: FileCheck2,
      href: '/backups/verify',
      needs: 'listBackups',
    },
    {
      label: 'Backup schedule',
      hint: 'Backups',
      icon: CalendarClock,
      href: '/backups/schedule',
      needs: 'getBackupSettings',
    },
  ],
  sources: [
    {
      name: 'Backups',
      needs: 'listBackups',
      async find(typed, context) {
        const backups = await loadBackupItems(context);
        const found = rankByLabel(backups, typed);
        return { items: found.slice(0, MAX_BACKUPS), total: found.length };
      },
    },
  ],
};

export default palette;
