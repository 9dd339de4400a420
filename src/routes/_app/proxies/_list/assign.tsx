import { createFileRoute, useRouter } from '@tanstack/react-router';
import { readIds } from '../../../../lib/address.ts';
import { AssignPanel } from '../../../../areas/proxies/panels/AssignPanel.tsx';
import { readProxiesView, writeProxiesView } from '../../../../areas/proxies/model/view.ts';

export const Route = createFileRoute('/_app/proxies/_list/assign')({
  staticData: { title: 'Assign proxy', part: true },
  validateSearch(search): { delegate?: number; principal?: number } {
    const [proxy] = readIds(search.delegate);
    const [user] = readIds(search.principal);
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
      proxy={delegate}
      user={principal}
      onClose={(done) =>
        void router.navigate({
          to: '/proxies',
          search: (now) => writeProxiesView(readProxiesView(now)),
          ignoreBlocker: done,
        })
      }
    />
  );
}
