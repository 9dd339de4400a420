/** The heap that remains after a garbage collection. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects everything that nothing refers to. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
}

function measureHeapMiB(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** Starts to measure; the growth is what is left over, not what was used in between. */
export function createHeapMeter(): { measureGrowthMiB(): number } {
  const before = measureHeapMiB();
  return { measureGrowthMiB: () => Math.round(measureHeapMiB() - before) };
}
