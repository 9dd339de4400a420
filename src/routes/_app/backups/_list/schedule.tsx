import { createFileRoute } from '@tanstack/react-router';
import { getBackupSettingsOptions } from '../../../../api/generated/queries/backups.gen.ts';
import { SchedulePanel } from '../../../../areas/backups/panels/SchedulePanel.tsx';

export const Route = createFileRoute('/_app/backups/_list/schedule')({
  staticData: { title: 'Backup schedule', part: 'panel' },
  // The form starts with the current schedule.
  loader: async ({ context: { queryClient } }) =>
    queryClient.fetchQuery({ ...getBackupSettingsOptions(), staleTime: 0 }),
  component: SchedulePanel,
});
