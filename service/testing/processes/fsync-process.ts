/** A process with an embedded database that syncs to disk: it inserts a site for each line of its input and prints the outcome. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { openDatabase } from '../../kernel/db/database.ts';
import { toDbError } from '../../kernel/db/driver/errors.ts';

if (import.meta.main) {
  const [, , dataDir = ''] = process.argv;
  const { db } = await openDatabase({ databaseUrl: undefined, dataDir, syncsToDisk: true });
  const delay = monitorEventLoopDelay({ resolution: 5 });
  process.stdout.write('ready\n');
  for await (const slug of createInterface(process.stdin)) {
    delay.reset();
    delay.enable();
    const code = await db
      .insertInto('site')
      .values({ slug, name: '' })
      .execute()
      .then(
        () => 'stored',
        (error: unknown) => toDbError(error).code ?? 'failed',
      );
    process.stdout.write(`${code} ${Math.round(delay.max / 1e6)}\n`);
  }
}
