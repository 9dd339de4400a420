/** What runs in the page that is measured. Each function is sent there as text and knows nothing outside itself. */

declare global {
  interface Window {
    /** Begins to note frames; what it returns ends that. */
    noteFrames?: () => () => { frames: number[]; blank: number[] };
    /** How much of the view no row covers that is there, in pixels. */
    blankPixels?: () => number;
  }
}

/** What the other functions of this file need in the page. */
export function prepare(): void {
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
      const at = row.getBoundingClientRect();
      covered += Math.max(0, Math.min(at.bottom, bottom) - Math.max(at.top, top));
    }
    return Math.max(0, bottom - top - covered);
  };
  window.noteFrames = () => {
    const frames: number[] = [];
    const blank: number[] = [];
    let before = performance.now();
    let frame = 0;
    const note = (now: number) => {
      frames.push(now - before);
      before = now;
      // At the beginning of a frame the document is as the one before has painted it.
      blank.push(window.blankPixels?.() ?? 0);
      frame = requestAnimationFrame(note);
    };
    frame = requestAnimationFrame((now) => {
      before = now;
      frame = requestAnimationFrame(note);
    });
    return () => {
      cancelAnimationFrame(frame);
      return { frames, blank };
    };
  };
}

/**
 * Drags the bar of the grid to a share of its way, over some frames, and tells how many milliseconds after it stands
 * there the rows of that place are painted: all that is in view.
 */
export function jump({ to, patience }: { to: number; patience: number }): Promise<number> {
  const FRAMES = 8;
  const box = document.querySelector('[role=grid]')?.parentElement;
  if (!box) throw new Error('There is no grid');
  const from = box.scrollTop;
  const way = to * (box.scrollHeight - box.clientHeight) - from;
  return new Promise((resolve, reject) => {
    let began = 0;
    const painted = () => {
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', () => resolve(performance.now() - began));
      port1.start();
      requestAnimationFrame(() => port2.postMessage(undefined));
    };
    const look = () => {
      if (window.blankPixels?.() === 0) painted();
      else if (performance.now() - began > patience) reject(new Error(`No rows at ${to} of the list`));
      else requestAnimationFrame(look);
    };
    const drag = (step: number) => {
      began = performance.now();
      box.scrollTop = from + (way * step) / FRAMES;
      requestAnimationFrame(() => {
        if (step < FRAMES) drag(step + 1);
        else look();
      });
    };
    drag(1);
  });
}
