import { useSession } from '../../../api/session.ts';
import { createStore, useStore } from '../../../ui/store.ts';

/** Time zone in which dates with a time are displayed: UTC, the site's zone or the browser's. */
export type ZoneChoice = 'utc' | 'site' | 'own';

const STORAGE_KEY = 'steward-entries-zone';
const ZONE_CHOICES: readonly ZoneChoice[] = ['utc', 'site', 'own'];
const zoneStore = createStore<ZoneChoice | undefined>(undefined);
let storedChoice: ZoneChoice | undefined;

/** The choice saved in this browser, read once; UTC without one. */
const getStoredChoice = (): ZoneChoice =>
  (storedChoice ??= ZONE_CHOICES.find((choice) => choice === localStorage.getItem(STORAGE_KEY)) ?? 'utc');

/** Time zone of the browser. */
export const BROWSER_TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Selects the time zone and saves the choice in this browser. */
export function setTimeZone(choice: ZoneChoice): void {
  localStorage.setItem(STORAGE_KEY, choice);
  zoneStore.set(choice);
}

/** The selected time zone: the choice, the site's zone and the IANA name of the selected one. */
export function useTimeZone() {
  const choice = useStore(zoneStore) ?? getStoredChoice();
  const { timeZone: site } = useSession().site;
  return { choice, site, name: { utc: 'UTC', site, own: BROWSER_TIME_ZONE }[choice] };
}
