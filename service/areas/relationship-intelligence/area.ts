import { defineArea } from '../../kernel/area/area.ts';

export const relationshipIntelligenceArea = defineArea({
  name: 'relationship-intelligence',
  notBuilt: [
    'importEmails',
    'importMeetings',
    'getImportStatus',
    'getImportSettings',
    'startRelationshipImport',
    'getImportBudget',
    'listImportRuns',
    'getImportRun',
    'getRelationshipSettings',
    'updateRelationshipSettings',
    'listRelationshipUsers',
    'startRelationshipUserChanges',
    'getImportActivity',
    'completeHistory',
    'listExclusions',
    'createExclusion',
    'deleteExclusion',
    'tryExclusion',
    'listErasures',
    'createErasure',
    'listRelationships',
  ],
});
