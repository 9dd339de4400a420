import { createStore, useStore } from '../../../ui/store.ts';
import { SMALL_SCREEN } from '../../../ui/use-media.ts';

const HIDDEN_COLUMNS_KEY = 'steward-activity-hidden';
const CHART_KEY = 'steward-activity-chart';
const SEPARATOR = '-';

const hiddenColumns = createStore<readonly string[]>(
  (localStorage.getItem(HIDDEN_COLUMNS_KEY) ?? '').split(SEPARATOR).filter((id) => id !== ''),
);

/** Hidden columns of the report, stored in this browser. */
export const useHiddenColumns = (): readonly string[] => useStore(hiddenColumns);

export function setHiddenColumns(ids: readonly string[]): void {
  localStorage.setItem(HIDDEN_COLUMNS_KEY, ids.join(SEPARATOR));
  hiddenColumns.set(ids);
}

// On small screens the chart is hidden by default.
const readChartVisible = () =>
  (localStorage.getItem(CHART_KEY) ?? (matchMedia(SMALL_SCREEN).matches ? 'no' : 'yes')) === 'yes';
const chartVisible = createStore(readChartVisible());

/** Whether the chart is shown above the rows, stored in this browser. */
export const useIsChartVisible = (): boolean => useStore(chartVisible);

export function setChartVisible(isVisible: boolean): void {
  localStorage.setItem(CHART_KEY, isVisible ? 'yes' : 'no');
  chartVisible.set(isVisible);
}
