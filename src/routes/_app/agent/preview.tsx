import { createFileRoute } from '@tanstack/react-router';
import { agentKeysQuery } from '../../../areas/agent/model/queries.ts';
import { PreviewPage } from '../../../areas/agent/pages/PreviewPage.tsx';
import { omitUndefined, parseIds } from '../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/agent/preview')({
  staticData: { title: 'Preview as a person', part: 'tab' },
  validateSearch: (search): { agent?: number } => omitUndefined({ agent: parseIds(search.agent)[0] }),
  loader: async ({ context: { queryClient } }) => {
    await queryClient.fetchQuery(agentKeysQuery);
  },
  component: PreviewPage,
});
