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
    const [{ data: user }] = await Promise.all([
      queryClient.ensureQueryData(userQuery(userId)),
      queryClient.ensureQueryData(licenseQuery(userId)),
    ]);
    return { title: formatFullName(user) };
  },
  // Another user remounts the page, so that input for one is never saved for another.
  remountDeps: ({ params }) => params,
  component: UserPage,
});
