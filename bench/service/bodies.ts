/** How long refused bodies keep the service from answering others: the longest gap of its event loop while it reads them. */
import { z } from 'zod';
import { ada } from '../../e2e/support/data/people.ts';
import { type Service, startService } from '../../e2e/support/service.ts';
import { findFreePort } from '../../scripts/testing/free-port.ts';
import { createHeavyBodies, type HeavyBody } from '../../service/testing/heavy-bodies.ts';
import type { Bench, Measure } from '../bench.ts';
import { chooseDatabase } from '../database.ts';
import { signIn } from '../sign-in.ts';

const MAX_GAP_MS = 100;
const RUNS = 3;
const Gap = z.object({ gapMs: z.number(), computingMs: z.number() });

/** The smallest of several results: what else the machine does only makes a gap longer. */
async function measureCase(
  service: Service,
  gapPort: number,
  headers: Record<string, string>,
  { path, body, count = 1, status }: HeavyBody,
): Promise<z.infer<typeof Gap>> {
  const send = async () => {
    const response = await fetch(service.url + path, { method: 'POST', headers, body });
    const text = await response.text();
    if (response.status !== status) throw new Error(`${response.status} of ${path}: ${text.slice(0, 500)}`);
  };
  const readGap = async () => Gap.parse(await (await fetch(`http://127.0.0.1:${gapPort}`)).json());
  // The first request compiles the validators of the operation and starts the thread for large bodies.
  await send();
  const gaps = [];
  for (let run = 0; run < RUNS; run += 1) {
    await readGap();
    await Promise.all(Array.from({ length: count }, send));
    gaps.push(await readGap());
  }
  return {
    gapMs: Math.min(...gaps.map(({ gapMs }) => gapMs)),
    computingMs: Math.min(...gaps.map(({ computingMs }) => computingMs)),
  };
}

export const bodies: Bench = {
  name: 'Bodies that are refused, on the embedded database',
  async run() {
    await chooseDatabase('embedded');
    const gapPort = await findFreePort();
    const probe = new URL('./gap-probe.ts', import.meta.url).href;
    const env = { NODE_OPTIONS: `--import ${probe}`, GAP_PORT: String(gapPort) };
    const service = await startService({ sample: true, administrator: ada, env });
    try {
      const headers = await signIn(service);
      const measures: Measure[] = [];
      for (const each of createHeavyBodies('Company')) {
        const { gapMs, computingMs } = await measureCase(service, gapPort, headers, each);
        measures.push(
          { name: `${each.name}: longest gap`, ours: gapMs, unit: 'ms', maximum: MAX_GAP_MS },
          { name: 'of it computing', ours: computingMs, unit: 'ms', maximum: MAX_GAP_MS },
        );
      }
      return measures;
    } finally {
      await service.remove();
    }
  },
};
