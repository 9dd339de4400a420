import { useCallback, useSyncExternalStore } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { getStepSeconds, isDay, stackSeries, toUnixSeconds } from './time-series.ts';
import type { TimeSeries } from './time-series.ts';

// Cursor position outside the plot, where no marker is shown.
const OUTSIDE_PLOT_PX = -10;

interface PlotProps {
  steps: readonly string[];
  series: readonly TimeSeries[];
  totalSeriesCount: number;
  /** Number of steps at the end that are a forecast. */
  forecastCount: number;
  isBarChart: boolean;
  /** Called with the index of the step under the pointer. */
  onHover: (at: number | undefined) => void;
  /** Called with a function that moves the marker, for use by keyboard. */
  onReady: (mark: ((at: number | undefined) => void) | undefined) => void;
  onZoom: ((first: number, last: number) => void) | undefined;
}

/** Canvas of a `TimeChart`, hidden from screen readers; the chart shows the same data as text. */
export default function Plot({
  steps,
  series,
  totalSeriesCount,
  forecastCount,
  isBarChart,
  onHover,
  onReady,
  onZoom,
}: PlotProps) {
  const key = useColorKey();
  const mountPlot = useCallback(
    (frame: HTMLDivElement | null) => {
      if (!frame) return undefined;
      const size = () => ({ width: frame.clientWidth, height: frame.clientHeight });
      const figure = frame.closest<HTMLElement>('.chart') ?? frame;
      const options = buildPlotOptions({
        series,
        totalSeriesCount,
        forecastCount,
        steps,
        isBarChart,
        colors: readChartColors(figure),
        size: size(),
        onHover,
        onZoom,
      });
      const plot = new uPlot(options, [steps.map(toUnixSeconds), ...stackSeries(series).toReversed()], frame);
      const watch = new ResizeObserver(() => plot.setSize(size()));
      watch.observe(frame);
      onReady((at) => {
        const x = plot.data[0][at ?? -1];
        const middle = isBarChart ? getStepSeconds(steps) / 2 : 0;
        plot.setCursor({ left: x === undefined ? OUTSIDE_PLOT_PX : plot.valToPos(x + middle, 'x'), top: 0 });
      });
      return () => {
        onReady(undefined);
        watch.disconnect();
        plot.destroy();
      };
    },
    // oxlint-disable-next-line react/exhaustive-deps -- another color key recreates the plot
    [steps, series, totalSeriesCount, forecastCount, isBarChart, onHover, onReady, onZoom, key],
  );
  return <div ref={mountPlot} className="chart-canvas" aria-hidden />;
}

interface PlotOptions {
  series: readonly TimeSeries[];
  /** Number of series from the bottom whose total is drawn as a line. */
  totalSeriesCount: number;
  forecastCount: number;
  steps: readonly string[];
  isBarChart: boolean;
  colors: ChartColors;
  size: { width: number; height: number };
  onHover: (at: number | undefined) => void;
  onZoom: ((first: number, last: number) => void) | undefined;
}

const MAX_DAYS_WITH_DAY_TICKS = 190;
const TICK_PX = 5;
// A shorter drag is a click.
const MIN_DRAG_PX = 4;
// Leaves a gap between bars.
const BAR_WIDTH_SHARE = 0.86;
const MAX_BAR_PX = 64;
const MIN_SEPARATED_BAR_PX = 7;
const numberFormat = new Intl.NumberFormat();
const dayFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const monthFormat = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric', timeZone: 'UTC' });
const hourFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const dateFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
// Increments of the value axis, which counts whole numbers.
const AXIS_INCREMENTS = [1, 2, 5].flatMap((step) => [0, 1, 2, 3, 4, 5, 6].map((power) => step * 10 ** power));

/** Creates the formatter of the time axis: days in UTC, hours in local time, midnight as its day. */
function createTickFormatter(days: readonly string[]): (seconds: number) => string {
  if (days.every(isDay))
    return (seconds) =>
      (days.length > MAX_DAYS_WITH_DAY_TICKS ? monthFormat : dayFormat).format(seconds * 1000);
  return (seconds) => {
    const at = new Date(seconds * 1000);
    return (at.getHours() === 0 && at.getMinutes() === 0 ? dateFormat : hourFormat).format(at);
  };
}

/**
 * Builds the options of stacked areas or bars over time. Upper series are painted first and covered by lower ones; a line
 * in the background color separates them for people who cannot distinguish the colors.
 */
function buildPlotOptions(options: PlotOptions): uPlot.Options {
  const { series, totalSeriesCount, forecastCount, steps, isBarChart, colors, size, onHover, onZoom } =
    options;
  const { text, grid, background, edge, font } = colors;
  const ticks = { stroke: grid, width: 1, size: TICK_PX };
  const isDaily = steps.every(isDay);
  const formatTick = createTickFormatter(steps);
  // A separator would hide narrow bars.
  const separatorWidth = isBarChart && size.width / steps.length < MIN_SEPARATED_BAR_PX ? 0 : 1;
  const isTotalLine = (at: number) => !isBarChart && at === totalSeriesCount - 1;
  return {
    ...size,
    padding: [8, 20, 0, 0],
    legend: { show: false },
    tzDate: (seconds) =>
      isDaily ? uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC') : new Date(seconds * 1000),
    cursor: {
      y: false,
      drag: { x: onZoom !== undefined, y: false, setScale: false, dist: MIN_DRAG_PX },
      points: { show: false },
    },
    scales: {
      // The last bar needs its whole step.
      x: isBarChart
        ? {
            range: () => [
              toUnixSeconds(steps[0] ?? ''),
              toUnixSeconds(steps.at(-1) ?? '') + getStepSeconds(steps),
            ],
          }
        : {},
      y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.06)] },
    },
    axes: [
      {
        stroke: text,
        font,
        ticks,
        grid: { show: false },
        size: 30,
        space: 70,
        values: (_plot, splits) => splits.map(formatTick),
      },
      {
        stroke: text,
        font,
        ticks: { show: false },
        grid: { stroke: grid, width: 1 },
        incrs: AXIS_INCREMENTS.toSorted((a, b) => a - b),
        space: 34,
        size: (_plot, values) => 16 + 7 * Math.max(1, ...(values ?? []).map((value) => value.length)),
        values: (_plot, splits) => splits.map((value) => numberFormat.format(value)),
      },
    ],
    series: [
      {},
      ...series
        .map(({ tone }, at) => ({
          stroke: isTotalLine(at) ? edge : background,
          width: isTotalLine(at) ? 2 : separatorWidth,
          fill: colors.tone(tone),
          points: { show: false },
          ...(isBarChart && { paths: uPlot.paths.bars?.({ size: [BAR_WIDTH_SHARE, MAX_BAR_PX], align: 1 }) }),
        }))
        .toReversed(),
    ],
    hooks: {
      draw: forecastCount > 0 ? [(plot) => drawForecast(plot, steps.length - forecastCount - 1, colors)] : [],
      setCursor: [
        (plot) => {
          const { idx, left = -1 } = plot.cursor;
          if (typeof idx !== 'number' || left < 0) onHover(undefined);
          else onHover(isBarChart ? findStepIndex(plot, left, isBarChart) : idx);
        },
      ],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < MIN_DRAG_PX || !onZoom) return;
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          onZoom(findStepIndex(plot, left, isBarChart), findStepIndex(plot, left + width, isBarChart));
        },
      ],
    },
  };
}

// The areas of a forecast show through the background, less clearly than the past.
const FORECAST_VEIL_OPACITY = 0.5;
const FORECAST_DASH_PX = [4, 3];

/** Fades what comes after a step, and draws a dashed line there. */
function drawForecast(plot: uPlot, lastKnown: number, { background, text }: ChartColors): void {
  const { ctx, bbox } = plot;
  const start = plot.valToPos(plot.data[0][lastKnown] ?? 0, 'x', true);
  const { devicePixelRatio: ratio } = window;
  ctx.save();
  ctx.globalAlpha = FORECAST_VEIL_OPACITY;
  ctx.fillStyle = background;
  ctx.fillRect(start, bbox.top, bbox.left + bbox.width - start, bbox.height);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = text;
  ctx.lineWidth = ratio;
  ctx.setLineDash(FORECAST_DASH_PX.map((length) => length * ratio));
  ctx.beginPath();
  ctx.moveTo(start, bbox.top);
  ctx.lineTo(start, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}

/** Finds the step at a position of the plot: the bar that contains it, or the nearest point of an area. */
function findStepIndex(plot: uPlot, left: number, bars: boolean): number {
  if (!bars) return plot.posToIdx(left);
  const at = plot.posToVal(left, 'x');
  return Math.max(
    0,
    plot.data[0].findLastIndex((start) => start <= at),
  );
}

/** Current colors and font of the chart; a canvas cannot use CSS custom properties. */
interface ChartColors {
  text: string;
  grid: string;
  background: string;
  edge: string;
  font: string;
  tone: (tone: number) => string;
}

/** Reads the colors from elements styled by chart.css, so that they are defined only in CSS. */
function readChartColors(frame: HTMLElement): ChartColors {
  const { color, borderTopColor, backgroundColor, outlineColor, fontFamily } = getComputedStyle(frame);
  return {
    text: color,
    grid: borderTopColor,
    background: backgroundColor,
    edge: outlineColor,
    font: `11.5px ${fontFamily}`,
    tone(tone) {
      const sample = frame.querySelector(`.chart-tone-${tone}`);
      return sample ? getComputedStyle(sample).color : color;
    },
  };
}

const contrastQuery = matchMedia('(prefers-contrast: more)');
const forcedColorsQuery = matchMedia('(forced-colors: active)');

function subscribe(changed: () => void): () => void {
  const watch = new MutationObserver(changed);
  watch.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  contrastQuery.addEventListener('change', changed);
  forcedColorsQuery.addEventListener('change', changed);
  return () => {
    watch.disconnect();
    contrastQuery.removeEventListener('change', changed);
    forcedColorsQuery.removeEventListener('change', changed);
  };
}

/** Returns a key that changes with the colors, so that the canvas is painted again. */
const useColorKey = (): string =>
  useSyncExternalStore(
    subscribe,
    () => `${document.documentElement.dataset.theme} ${contrastQuery.matches} ${forcedColorsQuery.matches}`,
  );
