import { useCallback } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { readPaint, usePaintKey } from './paint.ts';
import { plotOptions } from './plot-options.ts';
import { secondsOf, stacked, stepOf } from './stack.ts';
import type { TimeSeries } from './stack.ts';

// Where the plot has no mark.
const OUTSIDE = -10;

interface PlotProps {
  days: readonly string[];
  series: readonly TimeSeries[];
  sumOf: number;
  bars: boolean;
  /** Which day the pointer is on. */
  onPoint: (at: number | undefined) => void;
  /** The plot lends this to whoever moves the mark by keyboard. */
  onReady: (mark: ((at: number | undefined) => void) | undefined) => void;
  onZoom: ((first: number, last: number) => void) | undefined;
}

/** The canvas; `TimeChart` loads it. It is for the eye: words and numbers stand beside it. */
export default function Plot({ days, series, sumOf, bars, onPoint, onReady, onZoom }: PlotProps) {
  const key = usePaintKey();
  const draw = useCallback(
    (frame: HTMLDivElement | null) => {
      if (!frame) return undefined;
      const size = () => ({ width: frame.clientWidth, height: frame.clientHeight });
      const figure = frame.closest<HTMLElement>('.chart') ?? frame;
      const options = plotOptions({
        series,
        sumOf,
        days,
        bars,
        paint: readPaint(figure),
        size: size(),
        onPoint,
        onZoom,
      });
      const plot = new uPlot(options, [days.map(secondsOf), ...stacked(series).toReversed()], frame);
      const watch = new ResizeObserver(() => plot.setSize(size()));
      watch.observe(frame);
      onReady((at) => {
        const x = plot.data[0][at ?? -1];
        const middle = bars ? stepOf(days) / 2 : 0;
        plot.setCursor({ left: x === undefined ? OUTSIDE : plot.valToPos(x + middle, 'x'), top: 0 });
      });
      return () => {
        onReady(undefined);
        watch.disconnect();
        plot.destroy();
      };
    },
    // The key is not read: with other colours the whole is drawn anew.
    // oxlint-disable-next-line react/exhaustive-deps
    [days, series, sumOf, bars, onPoint, onReady, onZoom, key],
  );
  return <div ref={draw} className="chart-canvas" aria-hidden />;
}
