import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import type { Db } from '../../kernel/db/database.ts';

/** Dependencies of a command. */
export interface CommandContext {
  db: Db;
  /** Public address of the console, for links; undefined if it is not known. */
  publicUrl: string | undefined;
}

/** Implementation of a command: one transaction with an audit row. The result is printed as JSON. */
export type Command = (context: CommandContext, args: readonly string[]) => Promise<unknown>;

/** An error whose message is meant for the user of the command; every other error is a defect. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** The public address, for commands that print a link. @throws CommandError when it is not known */
export function requirePublicUrl({ publicUrl }: CommandContext): string {
  if (publicUrl === undefined)
    throw new CommandError(
      'This command prints a link. Set PUBLIC_URL to the address of the console, such as https://steward.example',
    );
  return publicUrl;
}

/** Parses the e-mail address and the options of a command. @throws CommandError */
export function parseEmailArgs<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) {
  const { positionals, values } = parseOrReject(() =>
    parseArgs({ args: [...args], options, allowPositionals: true }),
  );
  const [email, ...rest] = positionals;
  if (email === undefined || !/^[^\s\p{C}<>,;@]+@[^\s\p{C}<>,;@]+$/u.test(email))
    throw new CommandError('Give the e-mail address of one user');
  if (rest.length > 0) throw new CommandError(`Unexpected arguments: ${rest.join(' ')}`);
  return { email, values };
}

/** Calls `parse` and converts its errors to CommandErrors. */
export function parseOrReject<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error));
  }
}
