import { getNotificationSettings, listNotifications } from '../../api/generated/sdk/notifications.gen.ts';
import { getCurrentIdentity } from '../../api/session-state.ts';
import { saveForTab, saveLocally } from '../../lib/local-storage.ts';

/** Notifications that the browser shows at once at most. */
const MAX_ANNOUNCED = 3;

/** The newest notifications that this page has announced, by key: the storage may be full. */
const announcedIds = new Map<string, number>();

/** Key of the newest announced notification in the storage that the tabs share. */
const getStorageKey = (siteId: number, userId: number) => `steward.announced.${siteId}.${userId}`;

/**
 * Lets the browser show unread notifications that are newer than those announced before, if the user wants that for their
 * category and the browser permits it. What was unread when the user signed in is not announced, and each is shown by one tab.
 */
export async function announceNewest(newestId: number): Promise<void> {
  // Over plain HTTP browsers permit no notifications and offer no locks.
  if (!isSecureContext || !('Notification' in globalThis)) return;
  const identity = getCurrentIdentity();
  if (!identity) return;
  const key = getStorageKey(identity.siteId, identity.userId);
  // One tab after the other: the second finds what the first has announced.
  await navigator.locks.request(key, async () => {
    const stored = localStorage.getItem(key);
    const storedId = Number(stored ?? 0);
    const hasStarted = announcedIds.has(key) || (sessionStorage.getItem(key) !== null && stored !== null);
    const announcedId = hasStarted ? Math.max(storedId, announcedIds.get(key) ?? 0) : newestId;
    const latestId = Math.max(newestId, storedId);
    announcedIds.set(key, latestId);
    saveForTab(key, 'started');
    saveLocally(key, String(latestId));
    if (newestId <= announcedId || Notification.permission !== 'granted') return;
    const [{ data: settings }, { data: unread }] = await Promise.all([
      getNotificationSettings(),
      listNotifications({ query: { isUnread: true, pageNumber: 1, pageSize: MAX_ANNOUNCED } }),
    ]);
    for (const { id, category, title, detail, path } of unread.toReversed()) {
      if (id <= announcedId || !settings[category].inBrowser) continue;
      const shown = new Notification(title, { body: detail, tag: `steward-${id}` });
      shown.addEventListener('click', () => {
        window.focus();
        window.location.assign(path);
      });
    }
  });
}
