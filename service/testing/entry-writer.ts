/** A process that writes the same cells anew for ever, in one request each time, to be killed in the middle of it. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createApp } from '../app.ts';
import { sealsOf } from '../kernel/auth/seals.ts';
import { openDatabase } from '../kernel/db/database.ts';
import { loadContract } from '../kernel/http/contract.ts';
import { createLog } from '../kernel/log.ts';

/** What it writes: into each of the entries, into each of the fields `Round n`, from the round on. */
export interface WritingTask {
  token: string;
  typeId: number;
  entryIds: readonly number[];
  fieldIds: readonly number[];
  from: number;
}

async function writeForEver(dataDir: string, databaseUrl: string | undefined, task: WritingTask) {
  const { token, typeId, entryIds, fieldIds, from } = task;
  const app = await createApp({
    database: await openDatabase({ databaseUrl, dataDir }),
    contract: loadContract(new URL('../../contract/openapi.json', import.meta.url)),
    services: {
      publicUrl: 'http://steward.test',
      dataDir: join(dataDir, 'files'),
      seals: sealsOf(randomBytes(32)),
      wakeMail: () => {},
      wakeChore: () => {},
    },
    trustedProxies: [],
    log: createLog('silent'),
  });
  for (let round = from; ; round += 1) {
    const value = `Round ${round}`;
    const storeRequests = entryIds.flatMap((entryId) =>
      fieldIds.map((fieldId) => ({ entryId, fieldId, value })),
    );
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { statusCode, payload } = await app.inject({
      method: 'PUT',
      url: `/api/rest/v4/data/entrydata/${typeId}`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      payload: JSON.stringify({ storeRequests }),
    });
    if (statusCode !== 200) throw new Error(payload);
    process.stdout.write(`${round}\n`);
  }
}

if (import.meta.main) {
  const [, , dataDir = '', databaseUrl = '', task = '{}'] = process.argv;
  await writeForEver(dataDir, databaseUrl || undefined, JSON.parse(task) as WritingTask);
}
