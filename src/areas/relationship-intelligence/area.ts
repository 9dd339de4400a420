import { Inbox } from 'lucide-react';
import { defineArea } from '../../app/area/define-area.ts';

export const relationshipIntelligenceArea = defineArea({
  name: 'relationship-intelligence',
  navigation: [
    {
      group: 'Connections',
      path: '/imports',
      name: 'Imports',
      icon: Inbox,
      key: 'm',
      needs: 'getImportStatus',
      notBuilt: {
        purpose:
          'Post e-mail and meeting metadata for Relationship Intelligence and see the sync status of each user.',
        operations: [
          'POST /api/rest/v4/ri/import/emails',
          'POST /api/rest/v4/ri/import/meetings',
          'GET /api/rest/v4/ri/import/status',
          'GET /api/rest/v4/ri/import/settings',
        ],
      },
    },
  ],
  invalidations: {
    importEmails: ['getImportStatus', 'getImportSettings'],
    importMeetings: ['getImportStatus', 'getImportSettings'],
  },
});
