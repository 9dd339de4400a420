import { createFileRoute } from '@tanstack/react-router';
import { UnbuiltTab } from '../-UnbuiltTab.tsx';

export const Route = createFileRoute('/_app/users/$userId/activity')({
  staticData: { title: 'Activity', part: true },
  component: () => (
    <UnbuiltTab title="Activity has no page yet" call="POST /api/rest/v1/management/user/activity">
      Here it will say when this person signed in, from where, and what they exported in the last 90 days.
    </UnbuiltTab>
  ),
});
