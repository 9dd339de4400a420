/** Functions that run in the measured page. Playwright serializes them, so they use nothing outside themselves. */

declare global {
  interface Window {
    /** Starts recording frames; the returned function stops and returns the durations (ms) and uncovered pixels. */
    recordFrames?: () => () => { frames: number[]; blank: number[] };
    /** Height of the view not covered by loaded rows, in pixels. */
    blankPixels?: () => number;
  }
}

/** Installs the functions of `window` that the measurements use. */
export function installProbes(): void {
  window.blankPixels = () => {
    const grid = document.querySelector('[role=grid]');
    const view = grid?.parentElement?.getBoundingClientRect();
    const head = grid?.querySelector('thead')?.getBoundingClientRect();
    if (!grid || !view || !head) return Infinity;
    const top = Math.max(view.top, head.bottom);
    // A row that ends within a pixel of the edge is hidden by rounding alone.
    const bottom = view.top + (grid.parentElement?.clientHeight ?? 0) - 1;
    let covered = 0;
    for (const row of grid.querySelectorAll('tbody tr[aria-rowindex]:not([aria-busy])')) {
      const bounds = row.getBoundingClientRect();
      covered += Math.max(0, Math.min(bounds.bottom, bottom) - Math.max(bounds.top, top));
    }
    return Math.max(0, bottom - top - covered);
  };
  window.recordFrames = () => {
    const frames: number[] = [];
    const blank: number[] = [];
    let previous = performance.now();
    let frame = 0;
    const recordFrame = (now: number) => {
      frames.push(now - previous);
      previous = now;
      // At the start of a frame the document is as the previous frame painted it.
      blank.push(window.blankPixels?.() ?? 0);
      frame = requestAnimationFrame(recordFrame);
    };
    frame = requestAnimationFrame((now) => {
      previous = now;
      frame = requestAnimationFrame(recordFrame);
    });
    return () => {
      cancelAnimationFrame(frame);
      return { frames, blank };
    };
  };
}

/**
 * Drags the scrollbar of the grid in 8 frames to a position between 0 and 1; returns the milliseconds from the last scroll until rows
 * cover the whole view.
 */
export function measureJump({
  position,
  timeoutMs,
}: {
  position: number;
  timeoutMs: number;
}): Promise<number> {
  const FRAMES = 8;
  const box = document.querySelector('[role=grid]')?.parentElement;
  if (!box) throw new Error('The page has no grid');
  const from = box.scrollTop;
  const distance = position * (box.scrollHeight - box.clientHeight) - from;
  return new Promise((resolve, reject) => {
    let startMs = 0;
    const resolveAfterPaint = () => {
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', () => resolve(performance.now() - startMs));
      port1.start();
      requestAnimationFrame(() => port2.postMessage(undefined));
    };
    const poll = () => {
      if (window.blankPixels?.() === 0) resolveAfterPaint();
      else if (performance.now() - startMs > timeoutMs)
        reject(new Error(`No rows at position ${position} of the list`));
      else requestAnimationFrame(poll);
    };
    const drag = (step: number) => {
      startMs = performance.now();
      box.scrollTop = from + (distance * step) / FRAMES;
      requestAnimationFrame(() => {
        if (step < FRAMES) drag(step + 1);
        else poll();
      });
    };
    drag(1);
  });
}
