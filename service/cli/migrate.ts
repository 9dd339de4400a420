import { readConfig } from '../kernel/config.ts';
import { withUnmigrated } from '../kernel/db/database.ts';
import { explainIncompatibility, migrate, readMigrationState } from '../kernel/db/migrate.ts';
import { CommandError, type CommandSyntax, type OptionValues } from './commands/command.ts';
import { nameWhenRefused } from './database-option.ts';

export const migrateSyntax = {
  name: 'migrate',
  summary: 'Show or run the migrations of the database',
  details:
    'The service runs pending migrations when it starts; run them before where a start must be quick. Phase expand: processes of ' +
    'the version before go on working. Phase contract, or none: stop them first. The embedded database has one process: stop it first.',
  options: {
    plan: { type: 'boolean', description: 'print the pending migrations in order' },
    run: { type: 'boolean', description: 'run them, and build their indexes' },
    status: {
      type: 'boolean',
      description: 'print the state; exit code 1 if this version cannot start on it',
    },
  },
} as const satisfies CommandSyntax;

/** Runs the command. @returns what is printed, and whether this version can work on the database. @throws CommandError */
export async function runMigrate(
  values: OptionValues<typeof migrateSyntax.options>,
): Promise<{ result: unknown; isUsable: boolean }> {
  const chosen = Object.values(values).filter(Boolean);
  if (chosen.length !== 1) throw new CommandError('Give one of --plan, --run and --status');
  const { databaseUrl, dataDir } = readConfig(process.env);
  const work = withUnmigrated({ databaseUrl: databaseUrl?.reveal(), dataDir }, async (db, kind) => {
    const before = await readMigrationState(db);
    if (values.plan) return { result: before.pending, isUsable: true };
    const reason = explainIncompatibility(before);
    if (values.status)
      return {
        result: {
          applied: before.applied.length,
          pending: before.pending.length,
          newer: before.newer.map(({ name }) => name),
          ...(reason !== undefined && { reason }),
        },
        isUsable: reason === undefined,
      };
    if (reason !== undefined) throw new CommandError(reason);
    await migrate(db, kind);
    return { result: before.pending, isUsable: true };
  });
  return nameWhenRefused({}, work);
}
