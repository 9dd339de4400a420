/** A service whose files are in a given folder, for instance on a small file system; prints its URL and serves until it is killed. */
import { randomBytes } from 'node:crypto';
import { createApp } from '../app.ts';
import { createEncryption } from '../kernel/auth/encryption.ts';
import { openDatabase } from '../kernel/db/database.ts';
import { createEgress } from '../kernel/egress.ts';
import { loadContract } from '../kernel/http/contract.ts';
import { createLog } from '../kernel/log.ts';

if (import.meta.main) {
  const [, , dataDir = '', databaseUrl = '', filesDir = ''] = process.argv;
  const app = await createApp({
    database: await openDatabase({ databaseUrl: databaseUrl || undefined, dataDir }),
    contract: loadContract(new URL('../../contract/openapi.json', import.meta.url)),
    services: {
      publicUrl: 'http://steward.test',
      backupSheets: [],
      dataDir: filesDir,
      storageQuota: null,
      egress: createEgress({ rules: [], log: createLog('silent') }),
      encryption: createEncryption(randomBytes(32)),
      wakeMailWorker: () => {},
      wakeTask: () => {},
    },
    trustedProxies: [],
    log: createLog('silent'),
  });
  process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
}
