/** Tables of notifications (migrations/0022_notifications.ts). */
import type { GeneratedAlways } from 'kysely';
import type { Nullable, Timestamp } from './columns.ts';

export type NotificationCategory = 'jobFinished' | 'jobFailed' | 'alert';

interface NotificationTable {
  site_id: number;
  user_id: number;
  notification_id: GeneratedAlways<number>;
  category: NotificationCategory;
  title: string;
  detail: string;
  path: string;
  created_at: Timestamp;
  read_at: Nullable<Date>;
}

interface NotificationSettingTable {
  site_id: number;
  user_id: number;
  category: NotificationCategory;
  in_console: boolean;
  by_mail: boolean;
  in_browser: boolean;
}

export interface NotificationTables {
  notification: NotificationTable;
  notification_setting: NotificationSettingTable;
}
