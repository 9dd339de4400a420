import { createFileRoute } from '@tanstack/react-router';
import { keyQuery, securityQuery, sessionsQuery } from '../../../areas/profile/model/queries.ts';
import { ProfilePage } from '../../../areas/profile/pages/ProfilePage.tsx';

export const Route = createFileRoute('/_app/profile/')({
  staticData: { title: 'Your profile' },
  loader: async ({ context: { queryClient, session } }) => {
    // While acting for another user, the page shows a notice instead of the account.
    if (session.acting) return;
    await Promise.all([
      queryClient.fetchQuery(securityQuery),
      queryClient.fetchQuery(sessionsQuery),
      queryClient.fetchQuery(keyQuery),
    ]);
  },
  component: ProfilePage,
});
