import { createFileRoute } from '@tanstack/react-router';
import { UserActivityTab } from '../../../../areas/activity/pages/UserActivityTab.tsx';

export const Route = createFileRoute('/_app/users/$userId/activity')({
  staticData: { title: 'Activity', part: 'tab' },
  validateSearch: ({ view }): { view?: 'to' | 'proxy' } =>
    view === 'to' || view === 'proxy' ? { view } : {},
  component: UserActivityTab,
});
