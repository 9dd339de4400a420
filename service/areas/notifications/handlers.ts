import type { NotificationSettings } from '../../../contract/generated/types.gen.ts';
import { change, diffProperties, getActor } from '../../kernel/audit/change.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import type { Db } from '../../kernel/db/database.ts';
import { noContent, ok, type Handlers } from '../../kernel/http/handler.ts';
import { parsePage } from '../../kernel/http/parameters.ts';
import { DEFAULT_CHANNELS } from '../../kernel/notifications.store.ts';
import * as store from './notifications.store.ts';

type Operations =
  | 'listNotifications'
  | 'countUnreadNotifications'
  | 'markNotificationsRead'
  | 'getNotificationSettings'
  | 'updateNotificationSettings';

export const notificationHandlers: Handlers<Operations> = {
  async listNotifications({ db, caller, query }) {
    const isUnread = query.isUnread === true;
    const notifications = await store.listNotifications(db, caller, { isUnread }, parsePage(query));
    return ok(
      notifications.map((notification) => ({
        ...notification,
        createdDate: notification.createdDate.toISOString(),
        readDate: notification.readDate?.toISOString() ?? null,
      })),
    );
  },

  countUnreadNotifications: async ({ db, caller }) => ok(await store.countUnread(db, caller)),

  // Reading is no change of the site's data and leaves no audit row.
  async markNotificationsRead({ db, caller, body }) {
    await db.transaction().execute((tx) => store.markRead(tx, caller, body));
    return ok(await store.countUnread(db, caller));
  },

  getNotificationSettings: async ({ db, caller }) => ok(await loadSettings(db, caller)),

  async updateNotificationSettings(call) {
    const { caller, body } = call;
    await change(call.db, getActor(call), async (tx, record) => {
      const before = await loadSettings(tx, caller);
      for (const category of CATEGORIES) await store.setChannels(tx, caller, category, body[category]);
      const changes = diffProperties(before, await loadSettings(tx, caller));
      if (Object.keys(changes).length > 0)
        record({ action: 'user.notifications', subject: ['user', caller.userId], changes });
    });
    return noContent;
  },
};

const CATEGORIES = ['jobFinished', 'jobFailed', 'alert'] as const;

async function loadSettings(db: Db, caller: Caller): Promise<NotificationSettings> {
  const channels = await store.getChannels(db, caller);
  const get = (category: (typeof CATEGORIES)[number]) => channels.get(category) ?? DEFAULT_CHANNELS[category];
  return { jobFinished: get('jobFinished'), jobFailed: get('jobFailed'), alert: get('alert') };
}
