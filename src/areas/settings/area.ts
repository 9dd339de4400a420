import { Settings } from 'lucide-react';
import { ENTRY_READS } from '../../api/read-groups.ts';
import { defineArea } from '../../app/area/define-area.ts';

export const settingsArea = defineArea({
  name: 'settings',
  palette: () => import('./palette.ts'),
  navigation: [
    {
      group: 'Site',
      path: '/settings',
      name: 'Settings',
      icon: Settings,
      key: 's',
      needs: 'getSiteSettings',
    },
  ],
  invalidations: {
    retryTaskFailures: ['listTaskFailures'],
    updateSiteBrand: ['getSiteBrand'],
    sendTestMail: [],
    // Dates are formatted in the time zone of the site.
    updateSiteSettings: ['getSiteSettings', 'getSession', ...ENTRY_READS],
    updateApprovedAddresses: ['listApprovedAddresses', 'rehearseApprovedAddresses', 'explainAccess'],
  },
  auditSentences: { 'user.federation-linked': 'Was linked to the identity manager' },
});
