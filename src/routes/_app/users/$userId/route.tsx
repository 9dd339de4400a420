import { createFileRoute, notFound } from '@tanstack/react-router';
import { formatFullName, licenseQuery, userQuery } from '../../../../areas/users/model/user-query.ts';
import { UserPage } from '../../../../areas/users/pages/UserPage.tsx';

const WHOLE = /^[1-9]\d{0,9}$/;

export const Route = createFileRoute('/_app/users/$userId')({
  staticData: { title: 'User' },
  params: {
    parse({ userId }) {
      if (!WHOLE.test(userId)) throw notFound();
      return { userId: Number(userId) };
    },
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
