import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { createApp } from '../../app.ts';
import { createEncryption } from '../../kernel/auth/encryption.ts';
import { openDatabase } from '../../kernel/db/database.ts';
import { loadContract } from '../../kernel/http/contract.ts';
import { createEgress } from '../../kernel/network/egress.ts';
import { createLog } from '../../kernel/telemetry/log.ts';
import { createFolderPlace } from '../files/file-place.ts';

/** Creates the service in a process of its own, which a test starts and kills; without background work. */
export async function createProcessApp(options: {
  databaseUrl: string | undefined;
  /** Folder of the embedded database. */
  dataDir: string;
  /** Folder of the files. */
  filesDir: string;
}): Promise<FastifyInstance> {
  const log = createLog('silent');
  return createApp({
    database: await openDatabase(options),
    contract: loadContract(new URL('../../../contract/openapi.json', import.meta.url)),
    services: {
      publicUrl: 'http://steward.test',
      backupSheets: [],
      mailExamples: [],
      jobKinds: new Map(),
      ...createFolderPlace(options.filesDir),
      storageQuota: null,
      logRetention: { activityDays: 98, auditDays: null },
      egress: createEgress({ rules: [], log }),
      encryption: createEncryption(randomBytes(32)),
      wakeTask: () => {},
    },
    trustedProxies: [],
    log,
  });
}
