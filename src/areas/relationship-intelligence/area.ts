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

/** Reads that enabling users makes stale. */
const USER_READS = [
  'getImportStatus',
  'getImportSettings',
  'getRelationshipSettings',
  'listRelationshipUsers',
] as const;

const JOB_READS = ['listJobs', 'getJob', 'listJobItems', 'listJobReasons'] as const;

export const relationshipIntelligenceArea = defineArea({
  name: 'relationship-intelligence',
  palette: () => import('./palette.ts'),
  navigation: [
    {
      group: 'Connections',
      path: '/imports',
      name: 'Imports',
      icon: Inbox,
      key: 'm',
      needs: 'getImportStatus',
    },
  ],
  invalidations: {
    importEmails: IMPORT_READS,
    importMeetings: IMPORT_READS,
    startRelationshipImport: JOB_READS,
    // Also read again when a job has changed users.
    startRelationshipUserChanges: [...JOB_READS, ...USER_READS],
    updateRelationshipSettings: ['getRelationshipSettings', 'getImportSettings', 'listRelationships'],
    completeHistory: ['getRelationshipSettings', 'getImportSettings', 'listRelationshipUsers'],
    createExclusion: ['listExclusions'],
    deleteExclusion: ['listExclusions'],
    tryExclusion: [],
    createErasure: ['listErasures', 'listRelationships', 'listRelationshipUsers', 'getImportActivity'],
  },
  auditSentences: { 'user.relationships': 'Was changed in Relationship Intelligence' },
});
