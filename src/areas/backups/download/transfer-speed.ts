interface Sample {
  /** Time in milliseconds. */
  at: number;
  received: number;
}

/** Bytes received over the last seconds. */
export type Samples = readonly Sample[];

const WINDOW_MS = 5000;
/** Shorter spans give no reliable speed. */
const MIN_SPAN_MS = 400;

/** Adds a sample and drops those outside of the window. */
export const addSample = (samples: Samples, sample: Sample): Samples => [
  ...samples.filter(({ at }) => sample.at - at <= WINDOW_MS),
  sample,
];

/** Bytes per second over the window; undefined while the span is too short. */
export function getSpeed(samples: Samples): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at - first.at < MIN_SPAN_MS) return undefined;
  return ((last.received - first.received) * 1000) / (last.at - first.at);
}

/** Seconds until the rest is received; undefined if the transfer is stalled. */
export const getSecondsLeft = (left: number, speed: number | undefined): number | undefined =>
  speed === undefined || speed <= 0 ? undefined : left / speed;
