import { useSession } from '../../../api/session.ts';
import { getBrowserTimeZone, isTimeZone } from '../../../lib/dates/time-zones.ts';
import { saveLocally } from '../../../lib/local-storage.ts';
import { createStore, useStore } from '../../../ui/store.ts';

/** Time zone in which dates with a time are displayed: UTC, the site's zone, the user's own, or all three at once. */
export type ZoneChoice = 'utc' | 'site' | 'own' | 'all';

const STORAGE_KEY = 'steward-entries-zone';
const ZONE_CHOICES: readonly ZoneChoice[] = ['utc', 'site', 'own', 'all'];
const zoneStore = createStore<ZoneChoice | undefined>(undefined);
let storedChoice: ZoneChoice | null | undefined;

/** The choice saved in this browser, read once; null without one. */
function getStoredChoice(): ZoneChoice | null {
  if (storedChoice === undefined) {
    const stored = localStorage.getItem(STORAGE_KEY);
    storedChoice = ZONE_CHOICES.find((choice) => choice === stored) ?? null;
  }
  return storedChoice;
}

/** Selects the time zone and saves the choice in this browser. */
export function setTimeZone(choice: ZoneChoice): void {
  saveLocally(STORAGE_KEY, choice);
  zoneStore.set(choice);
}

/**
 * The selected time zone: the choice, the zones of the site and of the user, and the IANA name of the selected one.
 * The user's zone is the one set in the profile (spec 4.4), otherwise the browser's. Without a choice, and for input
 * while all zones are displayed, dates are in the zone of the profile if there is one, otherwise in UTC as in the API.
 */
export function useTimeZone() {
  const { site: siteInfo, user } = useSession();
  const { timeZone: site } = siteInfo;
  // A zone that this browser does not know cannot be displayed.
  const profile = typeof user.timeZone === 'string' && isTimeZone(user.timeZone) ? user.timeZone : undefined;
  const own = profile ?? getBrowserTimeZone();
  const standard = profile === undefined ? 'utc' : 'own';
  const choice = useStore(zoneStore) ?? getStoredChoice() ?? standard;
  return { choice, site, own, name: { utc: 'UTC', site, own }[choice === 'all' ? standard : choice] };
}

/** Whether dates are displayed in UTC, the site's zone and the user's zone at once. */
export const useShowsAllZones = (): boolean => (useStore(zoneStore) ?? getStoredChoice()) === 'all';
