import { saveLocally } from '../../../lib/local-storage.ts';
import { createStore, useStore } from '../../../ui/store.ts';
import type { Store } from '../../../ui/store.ts';
import { SMALL_SCREEN } from '../../../ui/use-media.ts';

const CHART_KEY = 'steward-activity-chart';
const TOP_LISTS_KEY = 'steward-activity-top-lists';

// On small screens parts of the summary are hidden by default.
const readVisible = (key: string) =>
  (localStorage.getItem(key) ?? (matchMedia(SMALL_SCREEN).matches ? 'no' : 'yes')) === 'yes';
const chartVisible = createStore(readVisible(CHART_KEY));
const topListsVisible = createStore(readVisible(TOP_LISTS_KEY));

function setVisible(key: string, store: Store<boolean>, isVisible: boolean): void {
  saveLocally(key, isVisible ? 'yes' : 'no');
  store.set(isVisible);
}

/** Whether the chart is shown above the rows, stored in this browser. */
export const useIsChartVisible = (): boolean => useStore(chartVisible);

export const setChartVisible = (isVisible: boolean): void => setVisible(CHART_KEY, chartVisible, isVisible);

/** Whether the most frequent users and addresses are shown beside the chart, stored in this browser. */
export const useAreTopListsVisible = (): boolean => useStore(topListsVisible);

export const setTopListsVisible = (isVisible: boolean): void =>
  setVisible(TOP_LISTS_KEY, topListsVisible, isVisible);
