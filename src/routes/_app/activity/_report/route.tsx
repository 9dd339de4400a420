import { createFileRoute } from '@tanstack/react-router';
import type { ActivitySearch } from '../../../../areas/activity/model/view.ts';
import { ActivityPage } from '../../../../areas/activity/pages/ActivityPage.tsx';
import { directoryQuery } from '../../../../directory/directory.ts';
import { passSearch } from '../../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/activity/_report')({
  validateSearch: passSearch<ActivitySearch>,
  loader: ({ context: { queryClient } }) => {
    // The directory provides names and the search of people; the rows do not wait for it.
    void queryClient.prefetchQuery(directoryQuery);
  },
  component: ActivityPage,
});
