import { Inbox } from 'lucide-react';
import { defineArea } from '../../app/area/define-area.ts';

/** Reads that an import makes stale. */
const IMPORT_READS = [
  'getImportStatus',
  'getImportSettings',
  'getImportBudget',
  'listImportRuns',
  'listRelationshipUsers',
  'getImportActivity',
  'listRelationships',
] as const;

const JOB_READS = ['listJobs', 'getJob', 'listJobItems', 'listJobReasons'] as const;

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
    importEmails: IMPORT_READS,
    importMeetings: IMPORT_READS,
    startRelationshipImport: JOB_READS,
    startRelationshipUserChanges: JOB_READS,
    updateRelationshipSettings: ['getRelationshipSettings', 'getImportSettings', 'listRelationships'],
    completeHistory: ['getRelationshipSettings', 'getImportSettings', 'listRelationshipUsers'],
    createExclusion: ['listExclusions'],
    deleteExclusion: ['listExclusions'],
    tryExclusion: [],
    createErasure: ['listErasures', 'listRelationships', 'getImportActivity'],
  },
  auditSentences: { 'user.relationships': 'Was changed in Relationship Intelligence' },
});
