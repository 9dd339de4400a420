/** Medians of what is done again and again, in turns with what it is held against, so that both see the same machine. */
import { type Measure, measureMs, percentile } from '../bench.ts';

const WARM_UP = 3;
const ROUNDS = 25;

type Work = (round: number) => Promise<unknown>;

interface Asked {
  name: string;
  ours: Work;
  /** The same with nothing of ours in it, or what it is to be compared with. */
  floor?: Work | undefined;
  /** What the median may be at most: milliseconds, and how many times the floor's. */
  limit?: number;
  times?: number;
  rounds?: number;
}

/** The median with its limit, and the 95th percentile. */
export async function timed({ name, ours, floor, limit, times, rounds = ROUNDS }: Asked): Promise<Measure[]> {
  const took: { ours: number; floor: number }[] = [];
  for (let round = -WARM_UP; round < rounds; round += 1) {
    const pair = {
      ours: await measureMs(() => ours(round)),
      floor: floor ? await measureMs(() => floor(round)) : 0,
    };
    if (round >= 0) took.push(pair);
  }
  const of = (part: number): { ours: number; floor?: number } => ({
    ours: percentile(
      took.map((pair) => pair.ours),
      part,
    ),
    ...(floor && {
      floor: percentile(
        took.map((pair) => pair.floor),
        part,
      ),
    }),
  });
  const middle = of(0.5);
  const limits = [
    limit,
    times !== undefined && middle.floor !== undefined ? times * middle.floor : undefined,
  ];
  const most = Math.min(...limits.map((each) => each ?? Infinity));
  return [
    { name: `${name}, p50`, unit: 'ms', ...middle, ...(most < Infinity && { maximum: most }) },
    { name: `${name}, p95`, unit: 'ms', ...of(0.95) },
  ];
}
