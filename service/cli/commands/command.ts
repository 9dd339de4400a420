import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import type { Db } from '../../kernel/db/database.ts';

/** What a command works with: the database, and where people reach the console. */
export interface CommandContext {
  db: Db;
  publicUrl: string;
}

/** Does its work in one transaction with its audit row; the answer is printed as JSON. */
export type Command = (context: CommandContext, args: readonly string[]) => Promise<unknown>;

/** A refusal in words for the person at the keyboard; everything else that is thrown is a fault of ours. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** Reads the e-mail address and the options of a command. */
export function readArgs<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) {
  const { positionals, values } = understood(() =>
    parseArgs({ args: [...args], options, allowPositionals: true }),
  );
  const [email, ...rest] = positionals;
  if (email === undefined || !/^[^\s\p{C}<>,;@]+@[^\s\p{C}<>,;@]+$/u.test(email))
    throw new CommandError('Give the e-mail address of one user');
  if (rest.length > 0) throw new CommandError(`Not understood: ${rest.join(' ')}`);
  return { email, values };
}

/** What was read; a refusal in words where the arguments cannot be. */
export function understood<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error));
  }
}
