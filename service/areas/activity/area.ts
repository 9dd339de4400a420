import { defineArea } from '../../kernel/area/area.ts';
import { activityExportJob } from './export.ts';
import { activityHandlers } from './handlers.ts';
import { ACTIVITY_LOG_RETENTION_DAYS, createActivityTasks } from './scheduled-tasks.ts';

export const activityArea = defineArea({
  name: 'activity',
  handlers: activityHandlers,
  jobKinds: [activityExportJob],
  tasks: (context) => createActivityTasks(context),
  tables: {
    activity: {
      backup: { leftOut: 'log of the installation' },
      retention: `${ACTIVITY_LOG_RETENTION_DAYS} days (STEWARD_KEEP_ACTIVITY)`,
    },
    activity_from: { backup: { leftOut: 'derived from the activity log' } },
    activity_hour: { backup: { leftOut: 'derived from the activity log' } },
    activity_network: { backup: { leftOut: 'derived from the activity log' } },
    activity_person: { backup: { leftOut: 'derived from the activity log' } },
    investigation: { backup: { leftOut: 'log of the installation' } },
  },
  auditActions: {
    investigation: ['investigation.create', 'investigation.delete', 'investigation.update'],
    export: ['user.export'],
  },
});
