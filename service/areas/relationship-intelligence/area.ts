import { defineArea } from '../../kernel/area/area.ts';

export const relationshipIntelligenceArea = defineArea({
  name: 'relationship-intelligence',
  notBuilt: ['importEmails', 'importMeetings', 'getImportStatus', 'getImportSettings'],
});
