import { defineArea } from '../../kernel/area/area.ts';
import { importHandlers } from './import/handlers.ts';

const IMPORTED_AGAIN = { leftOut: 'metadata that is imported again from its source' } as const;

export const relationshipIntelligenceArea = defineArea({
  name: 'relationship-intelligence',
  handlers: importHandlers,
  notBuilt: [
    'startRelationshipImport',
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
  tables: {
    ri_setting: { backup: { leftOut: 'set again after a restore' } },
    ri_user: { backup: { leftOut: 'enabled again after a restore' } },
    ri_exclusion: { backup: { leftOut: 'set again after a restore' } },
    ri_gate: { backup: { leftOut: 'state of running imports' } },
    ri_item: { backup: IMPORTED_AGAIN },
    ri_item_user: { backup: IMPORTED_AGAIN },
    ri_relation: { backup: IMPORTED_AGAIN },
    ri_run: { backup: { leftOut: 'log of the installation' }, retention: '90 days' },
    ri_erasure: { backup: { leftOut: 'proofs that belong to the data of the installation' } },
  },
  auditActions: { relationships: ['relationships.import'] },
});
