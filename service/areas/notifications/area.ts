import { defineArea } from '../../kernel/area/area.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import { notificationHandlers } from './handlers.ts';
import { deleteOldNotifications } from './notifications.store.ts';

const RETENTION_DAYS = 90;
const DAY_MS = 86_400_000;

/** Scheduled task that deletes notifications after 90 days. */
export const createNotificationRetentionTask = ({ db }: { db: Db }): ScheduledTask => ({
  name: 'notification retention',
  intervalMs: DAY_MS,
  run: async () => ((await deleteOldNotifications(db, RETENTION_DAYS)) ? { runAgainInMs: 0 } : undefined),
});

export const notificationsArea = defineArea({
  name: 'notifications',
  handlers: notificationHandlers,
  tasks: (context) => [createNotificationRetentionTask(context)],
  tables: {
    notification: { backup: { leftOut: 'log of the installation' }, retention: '90 days' },
    notification_setting: { backup: { leftOut: 'choices of persons about their own messages' } },
  },
  auditActions: { user: ['user.notifications'] },
});
