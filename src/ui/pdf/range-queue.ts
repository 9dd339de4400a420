/** Ranges of a file that are waiting to be read. */
export interface RangeQueue {
  /** Reads the bytes from `begin` to before `end`, which `onRange` receives. */
  request: (begin: number, end: number) => void;
}

interface RangeQueueOptions {
  read: (begin: number, end: number) => Promise<Uint8Array>;
  onRange: (begin: number, bytes: Uint8Array) => void;
  /** Called for each read that failed. */
  onFailure: (error: unknown) => void;
}

/** Reads at the same time; browsers have six connections to a server of HTTP/1.1, and the page needs some of them. */
const MAX_READS = 4;
/** Bytes of one read of joined ranges. */
export const MAX_READ_BYTES = 2 ** 22;

/**
 * Reads ranges, few at a time, and joins those that wait and follow each other into one read: pdf.js requests hundreds of
 * ranges at once in a file whose pages are in one list. The newest request is first, because pdf.js requests the pages of
 * that list from the last to the first, and because the page in view is the one that was requested last.
 */
export function createRangeQueue({ read, onRange, onFailure }: RangeQueueOptions): RangeQueue {
  const waiting: Range[] = [];
  let reads = 0;

  async function readJoined(ranges: readonly Range[]): Promise<void> {
    const begin = ranges[0]?.begin ?? 0;
    try {
      const bytes = await read(begin, ranges.at(-1)?.end ?? begin);
      for (const range of ranges)
        onRange(range.begin, bytes.subarray(range.begin - begin, range.end - begin));
    } catch (error) {
      onFailure(error);
    } finally {
      reads -= 1;
      start();
    }
  }

  function start(): void {
    while (reads < MAX_READS && waiting.length > 0) {
      reads += 1;
      void readJoined(takeJoined(waiting));
    }
  }

  return {
    request(begin, end) {
      waiting.push({ begin, end });
      start();
    },
  };
}

interface Range {
  begin: number;
  end: number;
}

/** Removes the newest range and those that follow and precede it without a gap, in the order of the file. */
function takeJoined(waiting: Range[]): readonly Range[] {
  const newest = waiting.pop();
  if (!newest) return [];
  const joined = [newest];
  let bytes = newest.end - newest.begin;
  const take = (isNext: (range: Range) => boolean): Range | undefined => {
    const at = waiting.findLastIndex(
      (range) => isNext(range) && bytes + range.end - range.begin <= MAX_READ_BYTES,
    );
    const [range] = at < 0 ? [] : waiting.splice(at, 1);
    if (range) bytes += range.end - range.begin;
    return range;
  };
  for (let next = take(({ begin }) => begin === newest.end); next;) {
    joined.push(next);
    const { end } = next;
    next = take(({ begin }) => begin === end);
  }
  for (let previous = take(({ end }) => end === newest.begin); previous;) {
    joined.unshift(previous);
    const { begin } = previous;
    previous = take(({ end }) => end === begin);
  }
  return joined;
}
