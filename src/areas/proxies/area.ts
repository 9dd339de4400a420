import { UserRoundCog } from 'lucide-react';
import { PROXY_READS } from '../../api/read-groups.ts';
import { defineArea } from '../../app/area/define-area.ts';

export const proxiesArea = defineArea({
  name: 'proxies',
  palette: () => import('./palette.ts'),
  navigation: [
    {
      group: 'People',
      path: '/proxies',
      name: 'Proxies',
      icon: UserRoundCog,
      key: 'x',
      needs: 'listProxies',
    },
  ],
  invalidations: {
    updateProxies: PROXY_READS,
    changeProxies: PROXY_READS,
    // Acting changes what the session may do and see: the whole cache is cleared (app/session/session.ts).
    beginActing: [],
    endActing: [],
  },
  auditSentences: {
    'proxy.change': 'Proxies were changed',
    'acting.begin': 'A proxy began to act for them',
    'acting.end': 'A proxy stopped acting for them',
  },
});
