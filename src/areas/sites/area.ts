import { Building2 } from 'lucide-react';
import { PLATFORM_READS } from '../../api/read-groups.ts';
import { defineArea } from '../../app/area/define-area.ts';

export const sitesArea = defineArea({
  name: 'sites',
  palette: () => import('./palette.ts'),
  navigation: [
    {
      group: 'Platform',
      path: '/sites',
      name: 'Sites',
      icon: Building2,
      key: 'w',
      isListed: ({ runsPlatform }) => runsPlatform === true,
    },
  ],
  invalidations: {
    createPlatformSite: [...PLATFORM_READS, 'getSession'],
    updatePlatformSite: [...PLATFORM_READS, 'getSiteSettings', 'getSession'],
    updateSiteIdentity: [...PLATFORM_READS, 'getSiteSettings', 'getSession'],
  },
  auditSentences: {
    'cli.platform-grant': 'Was made a platform administrator on the host',
    'cli.platform-revoke': 'Was removed from the platform administrators on the host',
  },
});
