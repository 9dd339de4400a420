import { createFileRoute } from '@tanstack/react-router';
import { explainAccessOptions } from '../../../../api/generated/queries/settings.gen.ts';
import { ProfileTab } from '../../../../areas/users/pages/ProfileTab.tsx';

export const Route = createFileRoute('/_app/users/$userId/')({
  staticData: { title: 'Profile', part: 'tab' },
  validateSearch: (search): { edit?: true } => (search.edit === true ? { edit: true } : {}),
  // The answer is as high as its failed checks: loaded later, it would move the cards below it. Its own card reports a failure.
  loader: ({ context: { queryClient }, params: { userId } }) =>
    queryClient.prefetchQuery(explainAccessOptions({ path: { userId } })),
  component: ProfileTab,
});
