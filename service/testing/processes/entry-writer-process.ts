/** A process that rewrites the same cells in one request after the other until a test kills it. */
import { join } from 'node:path';
import { createProcessApp } from './process-app.ts';

/** The process writes `Round n` into these fields of these entries, with `n` starting at `from`. */
export interface WriterTask {
  token: string;
  typeId: number;
  entryIds: readonly number[];
  fieldIds: readonly number[];
  from: number;
}

async function writeForever(dataDir: string, databaseUrl: string | undefined, task: WriterTask) {
  const { token, typeId, entryIds, fieldIds, from } = task;
  const app = await createProcessApp({ databaseUrl, dataDir, filesDir: join(dataDir, 'files') });
  for (let round = from; ; round += 1) {
    const value = `Round ${round}`;
    const storeRequests = entryIds.flatMap((entryId) =>
      fieldIds.map((fieldId) => ({ entryId, fieldId, value })),
    );
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
  await writeForever(dataDir, databaseUrl || undefined, JSON.parse(task) as WriterTask);
}
