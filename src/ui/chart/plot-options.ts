import uPlot from 'uplot';
import type { Paint } from './paint.ts';
import { isDay, secondsOf, stepOf } from './stack.ts';
import type { TimeSeries } from './stack.ts';

interface PlotOptions {
  series: readonly TimeSeries[];
  /** So many series from below are one sum, whose upper edge is drawn as a line. */
  sumOf: number;
  days: readonly string[];
  bars: boolean;
  paint: Paint;
  size: { width: number; height: number };
  onPoint: (at: number | undefined) => void;
  onZoom: ((first: number, last: number) => void) | undefined;
}

const LONG = 120;
const TICK = 5;
// A press that hardly moves is a click.
const LEAST_DRAG = 4;
// Bars leave a little of the ground between them.
const BAR = 0.86;
const WIDEST = 64;
const NARROW = 7;
const whole = new Intl.NumberFormat();
const dayTick = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const monthTick = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric', timeZone: 'UTC' });
const hourTick = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const dateTick = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
// What is counted are whole numbers.
const STEPS = [1, 2, 5].flatMap((step) => [0, 1, 2, 3, 4, 5, 6].map((power) => step * 10 ** power));

/** How a place on the axis is called: days by UTC, hours by the reader's clock, and midnight by its day. */
function tickOf(days: readonly string[]): (seconds: number) => string {
  if (days.every(isDay))
    return (seconds) => (days.length > LONG ? monthTick : dayTick).format(seconds * 1000);
  return (seconds) => {
    const at = new Date(seconds * 1000);
    return (at.getHours() === 0 && at.getMinutes() === 0 ? dateTick : hourTick).format(at);
  };
}

/**
 * A stack of areas or bars over time. The upper ones are painted first and those below cover them, so that each keeps
 * its own colour; a line in the colour of the ground parts them for whoever cannot tell the colours apart.
 */
export function plotOptions(options: PlotOptions): uPlot.Options {
  const { series, sumOf, days, bars, paint, size, onPoint, onZoom } = options;
  const { text, grid, ground, edge, font } = paint;
  const ticks = { stroke: grid, width: 1, size: TICK };
  const inDays = days.every(isDay);
  const tick = tickOf(days);
  // Between narrow bars a line would leave nothing of them.
  const parting = bars && size.width / days.length < NARROW ? 0 : 1;
  const lined = (at: number) => !bars && at === sumOf - 1;
  return {
    ...size,
    padding: [8, 20, 0, 0],
    legend: { show: false },
    tzDate: (seconds) =>
      inDays ? uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC') : new Date(seconds * 1000),
    cursor: {
      y: false,
      drag: { x: onZoom !== undefined, y: false, setScale: false, dist: LEAST_DRAG },
      points: { show: false },
    },
    scales: {
      // A bar stands over its whole step, the last one too.
      x: bars ? { range: () => [secondsOf(days[0] ?? ''), secondsOf(days.at(-1) ?? '') + stepOf(days)] } : {},
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
        values: (_plot, splits) => splits.map(tick),
      },
      {
        stroke: text,
        font,
        ticks: { show: false },
        grid: { stroke: grid, width: 1 },
        incrs: STEPS.toSorted((a, b) => a - b),
        space: 34,
        size: (_plot, values) => 16 + 7 * Math.max(1, ...(values ?? []).map((value) => value.length)),
        values: (_plot, splits) => splits.map((value) => whole.format(value)),
      },
    ],
    series: [
      {},
      ...series
        .map(({ tone }, at) => ({
          stroke: lined(at) ? edge : ground,
          width: lined(at) ? 2 : parting,
          fill: paint.tone(tone),
          points: { show: false },
          ...(bars && { paths: uPlot.paths.bars?.({ size: [BAR, WIDEST], align: 1 }) }),
        }))
        .toReversed(),
    ],
    hooks: {
      setCursor: [
        (plot) => {
          const { idx, left = -1 } = plot.cursor;
          if (typeof idx !== 'number' || left < 0) onPoint(undefined);
          else onPoint(bars ? stepAt(plot, left, bars) : idx);
        },
      ],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < LEAST_DRAG || !onZoom) return;
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          onZoom(stepAt(plot, left, bars), stepAt(plot, left + width, bars));
        },
      ],
    },
  };
}

/** The step at a place of the plot: a bar begins at its moment, a point of an area is the nearest one. */
function stepAt(plot: uPlot, left: number, bars: boolean): number {
  if (!bars) return plot.posToIdx(left);
  const at = plot.posToVal(left, 'x');
  return Math.max(
    0,
    plot.data[0].findLastIndex((start) => start <= at),
  );
}
