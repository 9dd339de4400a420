import { createFileRoute } from '@tanstack/react-router';
import { directoryQuery } from '../../../../directory/directory.ts';
import { ActivityPage } from '../../../../areas/activity/pages/ActivityPage.tsx';
import { readView, writeView } from '../../../../areas/activity/model/view.ts';

export const Route = createFileRoute('/_app/activity/_report')({
  validateSearch: (search) => writeView(readView(search)),
  loader: ({ context: { queryClient } }) => {
    // People are found and named by it; the rows do not wait for that.
    void queryClient.prefetchQuery(directoryQuery);
  },
  component: ActivityPage,
});
