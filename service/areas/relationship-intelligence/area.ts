import { defineArea } from '../../kernel/area/area.ts';
import { plainColumns, textColumns, timeColumns, userColumns } from '../../kernel/backup-sheets.ts';
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
    ri_setting: { backup: { sheet: 'relationshipSettings' } },
    // The restored site has no items yet: nobody's historical upload is complete.
    ri_user: {
      backup: {
        sheet: 'relationshipUsers',
        columnsLeftOut: [
          'history_completed_at',
          'last_email_sync_at',
          'last_meeting_sync_at',
          'last_email_at',
          'last_meeting_at',
        ],
      },
    },
    ri_exclusion: { backup: { sheet: 'relationshipExclusions', columnsLeftOut: ['exclusion_id'] } },
    ri_gate: { backup: { leftOut: 'state of running imports' } },
    ri_item: { backup: IMPORTED_AGAIN, retention: 'as long as the site has set' },
    ri_item_user: { backup: IMPORTED_AGAIN },
    ri_relation: { backup: IMPORTED_AGAIN },
    ri_run: { backup: { leftOut: 'log of the installation' }, retention: '90 days' },
    ri_erasure: { backup: { leftOut: 'proofs that belong to the data of the installation' } },
  },
  sheets: {
    relationshipSettings: {
      name: 'settings/relationship-settings.csv',
      kind: 'settings',
      from: 'ri_setting',
      isOptional: true,
      columns: [
        ...textColumns('connection_type'),
        ...plainColumns(
          'is_enabled',
          'email_relationships',
          'meeting_relationships',
          'collect_relationship_data',
          'automated_contact_creation',
          'contact_entry_type_id',
          'contact_email_field_id',
          'history_days',
          'retention_days',
        ),
        ...textColumns('internal_domains'),
        ...plainColumns('version'),
        ...timeColumns('modified_at'),
        ...userColumns('modified_by'),
      ],
    },
    relationshipUsers: {
      name: 'settings/relationship-users.csv',
      kind: 'settings',
      from: 'ri_user',
      keys: ['user_id'],
      isOptional: true,
      columns: [...userColumns('user_id'), ...plainColumns('is_enabled')],
    },
    relationshipExclusions: {
      name: 'settings/relationship-exclusions.csv',
      kind: 'settings',
      from: 'ri_exclusion',
      isOptional: true,
      columns: [...textColumns('value', 'note'), ...timeColumns('created_at'), ...userColumns('created_by')],
    },
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
