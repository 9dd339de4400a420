import { createFileRoute } from '@tanstack/react-router';
import { formatFullName, licenseQuery, userQuery } from '../../../../areas/users/model/user-query.ts';
import { UserPage } from '../../../../areas/users/pages/UserPage.tsx';
import { parsePathId } from '../../../../lib/ids.ts';

export const Route = createFileRoute('/_app/users/$userId')({
  staticData: { title: 'User' },
  params: {
    parse: ({ userId }) => ({ userId: parsePathId(userId) }),
    stringify: ({ userId }) => ({ userId: String(userId) }),
  },
  loader: async ({ context: { queryClient }, params: { userId } }) => {
    const query = userQuery(userId);
    const [{ data }] = await Promise.all([
      queryClient.ensureQueryData(query),
      queryClient.ensureQueryData(licenseQuery(userId)),
    ]);
    return { title: () => formatFullName(queryClient.getQueryData(query.queryKey)?.data ?? data) };
  },
  // Another user remounts the page, so that input for one is never saved for another.
  remountDeps: ({ params }) => params,
  component: UserPage,
});
