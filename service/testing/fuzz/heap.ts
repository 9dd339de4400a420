/** The heap that remains after a garbage collection. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects everything that nothing refers to. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
}

/** Starts to measure; the growth is what is left over, not what was used in between. */
export function createHeapMeter(): { measureGrowthMiB(): number } {
  const measure = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  const before = measure();
  return { measureGrowthMiB: () => Math.round(measure() - before) };
}
