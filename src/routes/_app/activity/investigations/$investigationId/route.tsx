import { createFileRoute } from '@tanstack/react-router';
import { InvestigationPage } from '../../../../../areas/activity/investigations/InvestigationPage.tsx';
import { investigationQuery } from '../../../../../areas/activity/investigations/investigations.ts';
import { parsePathId } from '../../../../../lib/ids.ts';

export const Route = createFileRoute('/_app/activity/investigations/$investigationId')({
  staticData: { title: 'Investigation' },
  params: {
    parse: ({ investigationId }) => ({ investigationId: parsePathId(investigationId) }),
    stringify: ({ investigationId }) => ({ investigationId: String(investigationId) }),
  },
  validateSearch: (search): { rows?: 'added' } => (search.rows === 'added' ? { rows: 'added' } : {}),
  loader: async ({ context: { queryClient }, params: { investigationId } }) => {
    const query = investigationQuery(investigationId);
    const { data } = await queryClient.ensureQueryData(query);
    return { title: () => (queryClient.getQueryData(query.queryKey)?.data ?? data).info.name };
  },
  component: InvestigationPage,
});
