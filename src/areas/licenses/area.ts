import { BadgeCheck } from 'lucide-react';
import { LICENSE_READS, USER_READS } from '../../api/read-groups.ts';
import { defineArea } from '../../app/area/define-area.ts';

export const licensesArea = defineArea({
  name: 'licenses',
  palette: () => import('./palette.ts'),
  navigation: [
    {
      group: 'People',
      path: '/licenses',
      name: 'Licenses',
      icon: BadgeCheck,
      key: 'l',
      needs: 'searchUserLicenses',
    },
  ],
  invalidations: { updateUserLicense: [...LICENSE_READS, ...USER_READS] },
  auditSentences: { 'license.change': 'License changed' },
});
