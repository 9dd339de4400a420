/** What a benchmark tells: ours, beside the floor that nobody can go below or a peer. */
export interface Measure {
  name: string;
  ours: number;
  /** The same work with nothing of ours in it, measured in this very run. */
  floor?: number;
  unit: string;
  /** What ours may be at most. */
  limit?: number;
  /** What ours is to be at least. */
  least?: number;
}

/** What may be chosen for a run. */
interface BenchOptions {
  /** How many people the site has, where it matters. */
  users?: number;
  /** How many entries the type has, where it matters. */
  entries?: number;
  /** Says where it ran, under the table. */
  note: (text: string) => void;
}

export interface Bench {
  name: string;
  /** What stands beside ours; the floor where nothing is said. */
  beside?: string;
  /** Why it cannot run here, if it cannot. */
  whyNot?: () => string | undefined;
  run(options: BenchOptions): Promise<Measure[]>;
}

/** Calls a second with so many under way at once, after a warm-up. */
export async function rate(call: () => Promise<void>, atOnce = 8, seconds = 3): Promise<number> {
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

/** Milliseconds the work takes. */
export async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** The number that so large a part of them does not exceed: 0.5 the median, 1 the largest. */
export const share = (numbers: readonly number[], part: number): number => {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
};

export const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);
