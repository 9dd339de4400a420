import { useSession } from '../../../api/session.ts';
import { createStore, useStore } from '../../../ui/store.ts';

/** In which time zone dates with a time of day are shown. */
export type ZoneChoice = 'utc' | 'site' | 'own';

const KEY = 'steward-entries-zone';
const CHOICES: readonly ZoneChoice[] = ['utc', 'site', 'own'];
const store = createStore<ZoneChoice>(
  CHOICES.find((choice) => choice === localStorage.getItem(KEY)) ?? 'utc',
);

/** The zone of whoever reads: that of their browser. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function setZone(choice: ZoneChoice): void {
  localStorage.setItem(KEY, choice);
  store.set(choice);
}

/** The chosen zone, by its name too. */
export function useZone() {
  const choice = useStore(store);
  const { timeZone: site } = useSession().site;
  return { choice, site, name: { utc: 'UTC', site, own: OWN_ZONE }[choice] };
}
