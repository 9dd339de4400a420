interface Sample {
  /** In milliseconds. */
  at: number;
  received: number;
}

/** What was received when, over the last seconds. */
export type Samples = readonly Sample[];

const WINDOW = 5000;
// Of less than this nobody can tell how fast it is.
const LEAST = 400;

/** The samples with one more; those too old to say how fast it is now are left out. */
export const noted = (samples: Samples, sample: Sample): Samples => [
  ...samples.filter(({ at }) => sample.at - at <= WINDOW),
  sample,
];

/** Bytes in a second over the last seconds; undefined while that is a guess. */
export function speedOf(samples: Samples): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at - first.at < LEAST) return undefined;
  return ((last.received - first.received) * 1000) / (last.at - first.at);
}

/** Seconds until the rest is there; undefined where nothing comes. */
export const secondsLeft = (left: number, speed: number | undefined): number | undefined =>
  speed === undefined || speed <= 0 ? undefined : left / speed;
