/** Window of a page of the benchmark, which opens the file and answers when its first page is drawn. */
export interface PdfBenchWindow extends Window {
  /** Opens the file and closes it again. @returns milliseconds until the first page was drawn */
  openOnce: (close: boolean) => Promise<number>;
  /** Scrolls through the open file. @returns milliseconds between frames */
  scrollFile: () => Promise<number[]>;
}

const SCROLLED_FRAMES = 240;
/** Pixels for each frame: about 40 pages in all. */
const SCROLL_STEP = 200;

/** Scrolls an element a step for each frame, and measures the time between the frames. */
export function measureFrames(element: Element | null): Promise<number[]> {
  const { promise, resolve } = Promise.withResolvers<number[]>();
  const frames: number[] = [];
  const next = (at: number) => {
    frames.push(at);
    element?.scrollBy(0, SCROLL_STEP);
    if (frames.length <= SCROLLED_FRAMES) requestAnimationFrame(next);
    else resolve(frames.slice(1).map((time, index) => time - (frames[index] ?? time)));
  };
  requestAnimationFrame(next);
  return promise;
}

/** Size of the file on the server. */
export async function readSize(): Promise<number> {
  const response = await fetch('/file.pdf', { method: 'HEAD' });
  return Number(response.headers.get('content-length'));
}
