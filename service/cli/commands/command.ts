import { parseArgs } from 'node:util';
import type { Db } from '../../kernel/db/database.ts';
import { isEmailAddress } from '../../kernel/email.ts';
import type { BlobStore } from '../../kernel/files/blob-store.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';

/** Dependencies of a command. */
export interface CommandContext {
  db: Db;
  /** Public address of the console, for links; undefined if it is not known. */
  publicUrl: string | undefined;
  /** Folder of this process (DATA_DIR). */
  dataDir: string;
  /** Store of files. */
  blobs: BlobStore;
  /** Creates the scheduled tasks of all areas, for commands that run some of them now. */
  createTasks: () => Promise<readonly ScheduledTask[]>;
}

/** An option of a command. The help shows `value` as its placeholder, and `description`. */
interface OptionDefinition {
  type: 'string' | 'boolean';
  multiple?: boolean;
  short?: string;
  value?: string;
  description: string;
}

export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>;

/** Values of options by name, as `parseArgs` of Node types them. */
export type OptionValues<Options extends OptionDefinitions> = ReturnType<
  typeof parseArgs<{ args: string[]; options: Options; allowPositionals: true }>
>['values'];

/** What a person sees of a command: the help and the completion are made of it. */
export interface CommandSyntax<Options extends OptionDefinitions = OptionDefinitions> {
  /** One or two words, such as `user create`. */
  name: string;
  /** Arguments in the notation of commander: `<required>`, `[optional]`, `<several...>`. */
  args?: string;
  summary: string;
  /** More than the summary says, such as limits. */
  details?: string;
  options: Options;
}

/** A command that runs on an open database: in the service through its socket, or in a process of its own. */
export interface Command extends CommandSyntax {
  /** Runs the command with the words after its name; the result is printed. @throws CommandError */
  execute(context: CommandContext, args: readonly string[]): Promise<unknown>;
}

/** Implementation of a command: one transaction with an audit row. */
type CommandImplementation<Options extends OptionDefinitions> = (
  context: CommandContext,
  positionals: readonly string[],
  values: OptionValues<Options>,
) => Promise<unknown>;

/** Defines a command; its options are parsed as they are declared. */
export function defineCommand<const Options extends OptionDefinitions>({
  run,
  ...syntax
}: CommandSyntax<Options> & { run: CommandImplementation<Options> }): Command {
  const { options } = syntax;
  return {
    ...syntax,
    async execute(context, args) {
      const { positionals, values } = parseOrReject(() =>
        parseArgs({ args: [...args], options, allowPositionals: true }),
      );
      return run(context, positionals, values);
    },
  };
}

/** An error whose message is meant for the user of the command; every other error is a defect. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** The public address, for commands that print a link. @throws CommandError when it is not known */
export function requirePublicUrl({ publicUrl }: Pick<CommandContext, 'publicUrl'>): string {
  if (publicUrl === undefined)
    throw new CommandError(
      'This command prints a link. Set PUBLIC_URL to the address of the console, such as https://steward.example',
    );
  return publicUrl;
}

/** Limits of the interface (NewUserInfo, NewPlatformSite). */
const MAX_NAME_LENGTH = 100;
const MAX_EMAIL_LENGTH = 254;

/** The name that an option gives, without spaces around it; undefined without one. @throws CommandError for a longer one than the interface accepts */
export function parseName(option: string, text: string | undefined): string | undefined {
  const name = text?.trim();
  if (name !== undefined && Array.from(name).length > MAX_NAME_LENGTH)
    throw new CommandError(`${option}: at most ${MAX_NAME_LENGTH} characters`);
  return name;
}

/** The only argument: an e-mail address. @throws CommandError */
export function requireEmail([email, ...rest]: readonly string[]): string {
  if (email === undefined || !isEmailAddress(email))
    throw new CommandError('Give the e-mail address of one user');
  if (email.length > MAX_EMAIL_LENGTH)
    throw new CommandError(`An e-mail address has at most ${MAX_EMAIL_LENGTH} characters`);
  rejectArguments(rest);
  return email;
}

/** @throws CommandError for any argument */
export function rejectArguments(rest: readonly string[]): void {
  if (rest.length > 0) throw new CommandError(`Unexpected arguments: ${rest.join(' ')}`);
}

/** Calls `parse` and converts its errors to CommandErrors. */
function parseOrReject<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error));
  }
}
