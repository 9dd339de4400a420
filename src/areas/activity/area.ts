import { Activity } from 'lucide-react';
import { defineArea } from '../../app/area/define-area.ts';

export const activityArea = defineArea({
  name: 'activity',
  palette: () => import('./palette.ts'),
  navigation: [
    {
      group: 'People',
      path: '/activity',
      name: 'Activity',
      icon: Activity,
      key: 'a',
      needs: 'queryUserActivity',
    },
  ],
  invalidations: {
    createInvestigation: ['listInvestigations'],
    updateInvestigation: ['listInvestigations', 'readInvestigation'],
    deleteInvestigation: ['listInvestigations', 'readInvestigation'],
  },
});
