/** A process that writes rows and tells each acknowledged one, to be killed in the middle of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { openDatabase } from '../kernel/db/database.ts';
import type { Place } from './databases.ts';

type Where = Pick<Place, 'databaseUrl' | 'dataDir'>;

/**
 * Starts the process; resolves when its first row is acknowledged. `kill` (SIGKILL) returns all that were. Another script
 * gets the same arguments, and one more as JSON.
 */
export async function startWriter(
  { databaseUrl, dataDir }: Where,
  script = import.meta.filename,
  task?: object,
): Promise<{ kill(): Promise<number[]> }> {
  const more = task ? [JSON.stringify(task)] : [];
  const child = spawn(process.execPath, [script, dataDir, databaseUrl ?? '', ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const acknowledged: number[] = [];
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => acknowledged.push(Number(line)));
  await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`The writer ended with ${String(code)}`))),
  ]);
  return {
    async kill() {
      const read = once(lines, 'close');
      child.kill('SIGKILL');
      await read;
      return acknowledged;
    },
  };
}

async function writeForEver(dataDir: string, databaseUrl: string | undefined): Promise<never> {
  const { db } = await openDatabase({ databaseUrl, dataDir });
  for (;;) {
    const { mail_id } = await db
      .insertInto('mail')
      .values({ recipient: 'a@example.org', subject: 's', body_text: 'b' })
      .returning('mail_id')
      .executeTakeFirstOrThrow();
    process.stdout.write(`${mail_id}\n`);
  }
}

if (import.meta.main) {
  const [, , dataDir, databaseUrl] = process.argv;
  if (dataDir) await writeForEver(dataDir, databaseUrl);
}
