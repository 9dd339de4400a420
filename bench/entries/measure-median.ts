/** Medians of repeated work, measured alternately with its floor so that both run under the same conditions. */
import { type Measure, measureMs, percentile } from '../bench.ts';

const WARM_UP = 3;
const ROUNDS = 25;

type Work = (round: number) => Promise<unknown>;

interface Comparison {
  name: string;
  ours: Work;
  /** The same work without our code, or other work to compare with. */
  floor?: Work | undefined;
  /** Highest allowed median in milliseconds, and as a multiple of the median of the floor. The lower limit applies. */
  maxMs?: number;
  maxRatio?: number;
  rounds?: number;
}

/** Measures the median, with its limit, and the 95th percentile. */
export async function measureMedian({
  name,
  ours,
  floor,
  maxMs: limit,
  maxRatio: times,
  rounds = ROUNDS,
}: Comparison): Promise<Measure[]> {
  const durations: { ours: number; floor: number }[] = [];
  for (let round = -WARM_UP; round < rounds; round += 1) {
    const pair = {
      ours: await measureMs(() => ours(round)),
      floor: floor ? await measureMs(() => floor(round)) : 0,
    };
    if (round >= 0) durations.push(pair);
  }
  const getPercentiles = (fraction: number): { ours: number; floor?: number } => ({
    ours: percentile(
      durations.map((pair) => pair.ours),
      fraction,
    ),
    ...(floor && {
      floor: percentile(
        durations.map((pair) => pair.floor),
        fraction,
      ),
    }),
  });
  const median = getPercentiles(0.5);
  const limits = [
    limit,
    times !== undefined && median.floor !== undefined ? times * median.floor : undefined,
  ];
  const maximum = Math.min(...limits.map((each) => each ?? Infinity));
  return [
    { name: `${name}, p50`, unit: 'ms', ...median, ...(maximum < Infinity && { maximum }) },
    { name: `${name}, p95`, unit: 'ms', ...getPercentiles(0.95) },
  ];
}
