import { SMALL } from '../../../ui/use-media.ts';
import { createStore, useStore } from '../../../ui/store.ts';

const KEY = 'steward-activity-chart';

// On a phone the rows come first, until somebody wants it otherwise.
const first = () => (localStorage.getItem(KEY) ?? (matchMedia(SMALL).matches ? 'no' : 'yes')) === 'yes';
const shown = createStore(first());

/** Whether the chart stands over the rows, as this person left it in this browser. */
export const useChartShown = (): boolean => useStore(shown);

/** Keeps the choice for the next visit. */
export function showChart(on: boolean): void {
  localStorage.setItem(KEY, on ? 'yes' : 'no');
  shown.set(on);
}
