import uPlot from 'uplot';
import type { Paint } from './paint.ts';
import type { TimeSeries } from './stack.ts';

interface PlotOptions {
  series: readonly TimeSeries[];
  /** So many series from below are one sum, whose upper edge is drawn as a line. */
  sumOf: number;
  days: number;
  paint: Paint;
  size: { width: number; height: number };
  onPoint: (at: number | undefined) => void;
}

const LONG = 120;
const TICK = 5;
const whole = new Intl.NumberFormat();
const dayTick = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const monthTick = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric', timeZone: 'UTC' });
// People are counted in whole numbers.
const STEPS = [1, 2, 5].flatMap((step) => [0, 1, 2, 3, 4, 5, 6].map((power) => step * 10 ** power));

/**
 * A stack of areas over days. The upper areas are painted first and those below cover them, so that each keeps its
 * own colour; a line in the colour of the ground parts them for whoever cannot tell the colours apart.
 */
export function plotOptions({ series, sumOf, days, paint, size, onPoint }: PlotOptions): uPlot.Options {
  const { text, grid, ground, edge, font } = paint;
  const ticks = { stroke: grid, width: 1, size: TICK };
  const tick = days > LONG ? monthTick : dayTick;
  return {
    ...size,
    padding: [8, 20, 0, 0],
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: { y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.06)] } },
    axes: [
      {
        stroke: text,
        font,
        ticks,
        grid: { show: false },
        size: 30,
        space: 70,
        values: (_plot, splits) => splits.map((seconds) => tick.format(seconds * 1000)),
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
          stroke: at === sumOf - 1 ? edge : ground,
          width: at === sumOf - 1 ? 2 : 1,
          fill: paint.tone(tone),
          points: { show: false },
        }))
        .toReversed(),
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
  };
}
