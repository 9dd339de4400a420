/** One result of a benchmark: our value, and the floor or a peer measured in the same run. */
export interface Measure {
  name: string;
  ours: number;
  /** The same work without our code, or in a peer, measured in the same run. */
  floor?: number;
  unit: string;
  /** Highest allowed value. */
  maximum?: number;
  /** Lowest allowed value. */
  minimum?: number;
}

/** Options of a run. */
interface BenchOptions {
  /** Number of users of the site, for benchmarks that depend on it. */
  users?: number;
  /** Number of entries of the type, for benchmarks that depend on it. */
  entries?: number;
  /** Number of rows of a file. */
  rows?: number;
  /** Milliseconds by which bytes between the service and the database are delayed in each direction. */
  delay?: number;
  /** Adds a note under the table, such as the server used. */
  note: (text: string) => void;
}

export interface Bench {
  name: string;
  /** Column header of the peer; default: floor. */
  peerName?: string;
  /** Why the benchmark cannot run on this machine; undefined if it can. */
  getSkipReason?: () => string | undefined;
  run(options: BenchOptions): Promise<Measure[]>;
}

/** Calls per second with `atOnce` parallel calls, after a warm-up. */
export async function measureRate(call: () => Promise<void>, atOnce = 8, seconds = 3): Promise<number> {
  const during = async (span: number) => {
    const started = performance.now();
    let calls = 0;
    const worker = async () => {
      while (performance.now() - started < span) {
        await call();
        calls += 1;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    return (calls * 1000) / (performance.now() - started);
  };
  await during(1000);
  return during(seconds * 1000);
}

/** Duration of the work in milliseconds. */
export async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** The percentile of the numbers: 0.5 is the median, 1 the maximum. */
export const percentile = (numbers: readonly number[], part: number): number => {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
};

/** The median and the 95th percentile of durations in milliseconds, with those of the floor. `maximum`: highest allowed p95. */
export const toPercentiles = (
  name: string,
  durations: { ours: readonly number[]; floor: readonly number[] },
  maximum?: number,
): Measure[] =>
  [0.5, 0.95].map((part) => ({
    name: `${name}, p${part * 100}`,
    ours: percentile(durations.ours, part),
    floor: percentile(durations.floor, part),
    unit: 'ms',
    ...(part === 0.95 && maximum !== undefined && { maximum }),
  }));

export const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);
export const mean = (numbers: readonly number[]): number => sum(numbers) / numbers.length;
