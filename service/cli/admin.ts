import { ApiError } from '../kernel/api-error.ts';
import { readConfig } from '../kernel/config.ts';
import { openDatabase } from '../kernel/db/database.ts';
import { type AdminReply, sendCommand } from './admin-socket.ts';
import { CommandError } from './commands/command.ts';
import { HELP, runCommand } from './commands/index.ts';

/** Exit codes: 0 success, 1 rejected or failed, 2 the database cannot be opened. */
async function main(argv: readonly string[]): Promise<number> {
  if (argv.length === 0 || ['help', '--help', '-h'].includes(argv[0] ?? '')) {
    process.stdout.write(HELP);
    return argv.length === 0 ? 1 : 0;
  }
  const { databaseUrl, dataDir, publicUrl } = readConfig(process.env);
  const reply = databaseUrl === undefined ? await sendCommand(dataDir, argv) : undefined;
  if (reply) return print(reply);
  const database = await openDatabase({ databaseUrl: databaseUrl?.reveal(), dataDir }).catch(
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    },
  );
  if (!database) return 2;
  try {
    // The service may use another port than the default one: only a setting says where it is.
    const isAddressSet = Boolean(process.env['PUBLIC_URL'] ?? process.env['PORT']);
    const context = { db: database.db, publicUrl: isAddressSet ? publicUrl : undefined };
    return print({ result: await runCommand(context, argv) });
  } catch (error) {
    if (error instanceof CommandError || error instanceof ApiError) return print({ refused: error.message });
    throw error;
  } finally {
    await database.close();
  }
}

// Only results go to stdout, so that programs can parse it.
function print(reply: AdminReply): number {
  if ('result' in reply) {
    process.stdout.write(`${JSON.stringify(reply.result)}\n`);
    return 0;
  }
  process.stderr.write(`${'refused' in reply ? reply.refused : reply.failed}\n`);
  return 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
