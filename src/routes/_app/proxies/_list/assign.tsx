import { createFileRoute, useRouter } from '@tanstack/react-router';
import { parseProxiesView, serializeProxiesView } from '../../../../areas/proxies/model/view.ts';
import { AssignPanel } from '../../../../areas/proxies/panels/AssignPanel.tsx';
import { parseIds } from '../../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/proxies/_list/assign')({
  staticData: { title: 'Assign proxy', part: 'panel' },
  validateSearch(search): { delegate?: number; principal?: number } {
    const [proxy] = parseIds(search.delegate);
    const [user] = parseIds(search.principal);
    return {
      ...(proxy !== undefined && { delegate: proxy }),
      ...(user !== undefined && user !== proxy && { principal: user }),
    };
  },
  component: AssignOverList,
});

function AssignOverList() {
  const router = useRouter();
  const { delegate, principal } = Route.useSearch();
  return (
    <AssignPanel
      proxyUserId={delegate}
      userId={principal}
      onClose={(done) =>
        void router.navigate({
          to: '/proxies',
          search: (now) => serializeProxiesView(parseProxiesView(now)),
          ignoreBlocker: done,
        })
      }
    />
  );
}
