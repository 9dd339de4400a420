import { defineArea } from '../../kernel/area/area.ts';
import { importHandlers } from './import/handlers.ts';
import { importJob } from './import/import-job.ts';
import { createContactsTask } from './relations/contacts.ts';
import { relationHandlers } from './relations/handlers.ts';
import { createRetentionTasks } from './retention.ts';
import { enableUsersJob } from './settings/enable-job.ts';
import { settingsHandlers } from './settings/handlers.ts';

const IMPORTED_AGAIN = { leftOut: 'metadata that is imported again from its source' } as const;

export const relationshipIntelligenceArea = defineArea({
  name: 'relationship-intelligence',
  handlers: { ...importHandlers, ...settingsHandlers, ...relationHandlers },
  jobKinds: [enableUsersJob, importJob],
  tasks: (context) => [createContactsTask(context), ...createRetentionTasks(context)],
  tables: {
    ri_setting: { backup: { leftOut: 'set again after a restore' } },
    ri_user: { backup: { leftOut: 'enabled again after a restore' } },
    ri_exclusion: { backup: { leftOut: 'set again after a restore' } },
    ri_gate: { backup: { leftOut: 'state of running imports' } },
    ri_item: { backup: IMPORTED_AGAIN, retention: 'as long as the site has set' },
    ri_item_user: { backup: IMPORTED_AGAIN },
    ri_relation: { backup: IMPORTED_AGAIN },
    ri_run: { backup: { leftOut: 'log of the installation' }, retention: '90 days' },
    ri_erasure: { backup: { leftOut: 'proofs that belong to the data of the installation' } },
  },
  auditActions: {
    relationships: [
      'relationships.erase',
      'relationships.exclude',
      'relationships.import',
      'relationships.include',
      'relationships.settings',
    ],
    user: ['user.relationships'],
  },
});
