import { startService, type Service } from '../../e2e/support/service.ts';
import { type Bench, measureMs } from '../bench.ts';

/** Time from the start of the process to the first successful response of /readyz. */
export const start: Bench = {
  name: 'Start',
  async run() {
    const installation = { sample: false, administrator: undefined };
    const services: Service[] = [];
    const cold = await measureMs(async () => services.push(await startService(installation)));
    const [service] = services;
    if (!service) throw new Error('No service');
    await service.stop();
    const warm = await measureMs(() => service.start());
    const stop = await measureMs(() => service.stop());
    await service.remove();
    return [
      { name: 'very first start, empty folder', ours: cold, unit: 'ms' },
      { name: 'later start', ours: warm, unit: 'ms' },
      { name: 'graceful stop', ours: stop, unit: 'ms' },
    ];
  },
};
