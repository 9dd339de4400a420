import { createFileRoute } from '@tanstack/react-router';
import { SchedulesPage } from '../../../areas/reports/pages/SchedulesPage.tsx';

export const Route = createFileRoute('/_app/reports/schedules')({
  staticData: { title: 'Report schedules' },
  validateSearch: ({ everyone }: Record<string, unknown>): { everyone?: true } =>
    everyone === true ? { everyone } : {},
  component: SchedulesPage,
});
