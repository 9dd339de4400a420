import { createFileRoute } from '@tanstack/react-router';
import { ProfilePage } from '../../../areas/profile/pages/ProfilePage.tsx';
import { keyQuery, securityQuery, sessionsQuery } from '../../../areas/profile/model/queries.ts';

export const Route = createFileRoute('/_app/profile/')({
  staticData: { title: 'Your profile' },
  loader: async ({ context: { queryClient, session } }) => {
    // Whoever acts for somebody is told so in place of the page: their own account stays as it is meanwhile.
    if (session.acting) return;
    await Promise.all([
      queryClient.fetchQuery(securityQuery),
      queryClient.fetchQuery(sessionsQuery),
      queryClient.fetchQuery(keyQuery),
    ]);
  },
  component: ProfilePage,
});
