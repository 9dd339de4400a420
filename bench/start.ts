import { type Bench, milliseconds } from './bench.ts';
import { newService, type Service } from '../e2e/support/service.ts';

/** From the start of the process to the first good answer of /readyz. */
export const start: Bench = {
  name: 'Start',
  async run() {
    const installation = { sample: false, administrator: undefined };
    const made: Service[] = [];
    const cold = await milliseconds(async () => made.push(await newService(installation)));
    const [service] = made;
    if (!service) throw new Error('No service');
    await service.stop();
    const warm = await milliseconds(() => service.start());
    const stop = await milliseconds(() => service.stop());
    await service.remove();
    return [
      { name: 'very first start, empty folder', ours: cold, unit: 'ms' },
      { name: 'later start', ours: warm, unit: 'ms' },
      { name: 'graceful stop', ours: stop, unit: 'ms' },
    ];
  },
};
