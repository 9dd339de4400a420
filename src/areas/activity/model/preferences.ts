import { createStore, useStore } from '../../../ui/store.ts';
import { SMALL_SCREEN } from '../../../ui/use-media.ts';

const CHART_KEY = 'steward-activity-chart';

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
