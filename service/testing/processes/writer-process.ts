/** A process that inserts rows and prints the id of each acknowledged one until a test kills it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { openDatabase } from '../../kernel/db/database.ts';
import type { TestDatabase } from '../databases.ts';

type DatabaseLocation = Pick<TestDatabase, 'databaseUrl' | 'dataDir'>;

/**
 * Starts the process and resolves when its first row is acknowledged. `kill` (SIGKILL) returns the ids of all acknowledged
 * rows. `script`: another script, which gets the same arguments and `task` as JSON.
 */
export async function startWriter(
  { databaseUrl, dataDir }: DatabaseLocation,
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

async function writeForever(dataDir: string, databaseUrl: string | undefined): Promise<never> {
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
  if (dataDir) await writeForever(dataDir, databaseUrl);
}
