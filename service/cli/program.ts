import { Command as Program, Option } from 'commander';
import { checkInstallation } from '../kernel/installation/installation-checks.ts';
import {
  clusterInitSyntax,
  clusterMoveSyntax,
  clusterStatusSyntax,
  runClusterInit,
  runClusterMove,
  runClusterStatus,
} from './cluster.ts';
import {
  type Command,
  CommandError,
  type CommandSyntax,
  type OptionDefinitions,
} from './commands/command.ts';
import { COMMANDS } from './commands/index.ts';
import { formatCompletion, type Shell, SHELLS } from './completion.ts';
import { load, loadSyntax } from './load.ts';
import { migrateSyntax, runMigrate } from './migrate.ts';
import { moveSyntax, runMove } from './move.ts';
import { formatResult } from './print.ts';
import { restore, restoreSyntax } from './restore.ts';
import { createSample, sampleSyntax } from './sample.ts';

/** Exit codes of every command. */
export const EXIT_CODES = { done: 0, refused: 1, failed: 2 } as const;

const EPILOG = `
Settings are environment variables, those of the service (README). Doctor and the commands under Administration work beside a
running service; the others may need it to be stopped, as their help says.

Exit codes: ${EXIT_CODES.done} done, ${EXIT_CODES.refused} refused (invalid settings or arguments, a rule, a problem found), ${EXIT_CODES.failed} failed.
Results go to standard output, as JSON with --json; reasons go to standard error.`;

const DOCTOR = {
  name: 'doctor',
  summary: 'Check the installation: settings, database, disk, clock, mail, TLS, proxies, secrets',
  details: 'Changes nothing. The exit code is 1 if a problem was found; warnings do not change it.',
  options: {},
} as const satisfies CommandSyntax;

const HEADINGS = {
  site: 'Administration',
  host: 'Installation',
} as const;

interface ProgramOptions {
  /** Runs a command on the database: in the running service, or here. @returns the exit code */
  runOnDatabase: (words: readonly string[]) => Promise<number>;
  write: (text: string) => void;
  /** Text beside a result, for people. */
  writeNote: (text: string) => void;
  setExitCode: (code: number) => void;
}

/** Adds options as the definitions declare them. */
function addOptions(command: Program, options: OptionDefinitions): void {
  for (const [name, { type, multiple, value = 'value', description }] of Object.entries(options)) {
    const flags = type === 'string' ? `--${name} <${value}>` : `--${name}`;
    const option = new Option(flags, multiple ? `${description}; can be repeated` : description);
    if (multiple)
      option.argParser((each: string, earlier: string[] | undefined) => [...(earlier ?? []), each]);
    // An option of its own, and not the opposite of another one.
    option.negate = false;
    command.addOption(option);
  }
}

/** The command for people: its syntax, its help and its completion. */
export function createProgram({ runOnDatabase, write, writeNote, setExitCode }: ProgramOptions): Program {
  const program = new Program('steward')
    .description('Administers an installation of Steward on its host.')
    .option('--json', 'print the result as JSON')
    .helpCommand(false)
    .showHelpAfterError('Help: steward help')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EPILOG)
    .exitOverride();
  const printResult = (result: unknown): void =>
    write(program.opts()['json'] === true ? `${JSON.stringify(result)}\n` : formatResult(result));

  const addCommand = (syntax: CommandSyntax, heading: string): Program => {
    const [first = '', second] = syntax.name.split(' ');
    let parent = program;
    if (second !== undefined)
      parent =
        program.commands.find((each) => each.name() === first) ?? program.command(first).helpGroup(heading);
    const command = parent.command(second ?? first).summary(syntax.summary);
    if (parent !== program) parent.summary(parent.commands.map((each) => each.name()).join(', '));
    command.description(`${syntax.summary}.${syntax.details === undefined ? '' : `\n\n${syntax.details}`}`);
    if (second === undefined) command.helpGroup(heading);
    if (syntax.args !== undefined) command.arguments(syntax.args);
    addOptions(command, syntax.options);
    return command;
  };

  for (const each of COMMANDS)
    addCommand(each, HEADINGS.site).action(async (...all: unknown[]) => {
      const parsed = all.at(-1);
      if (!(parsed instanceof Program)) throw new Error('The command is the last argument of an action');
      setExitCode(await runOnDatabase([...each.name.split(' '), ...toWords(each, parsed)]));
    });

  addCommand(DOCTOR, HEADINGS.host).action(async () => {
    const findings = await checkInstallation(process.env);
    printResult(findings);
    if (findings.some(({ status }) => status === 'problem')) setExitCode(EXIT_CODES.refused);
  });
  addCommand(migrateSyntax, HEADINGS.host).action(async (values: object) => {
    const { result, isUsable } = await runMigrate(toValues(migrateSyntax.options, values));
    printResult(result);
    if (!isUsable) setExitCode(EXIT_CODES.refused);
  });
  addCommand(clusterInitSyntax, HEADINGS.host).action(async () => {
    printResult(await runClusterInit());
  });
  addCommand(clusterStatusSyntax, HEADINGS.host).action(async (values: object) => {
    const { sites = false } = toValues(clusterStatusSyntax.options, values);
    printResult(await runClusterStatus(sites));
  });
  addCommand(clusterMoveSyntax, HEADINGS.host).action(async (slug: string, node: string) => {
    printResult(await runClusterMove(slug, node));
  });
  addCommand(moveSyntax, HEADINGS.host).action(async (values: object) => {
    printResult(await runMove(toValues(moveSyntax.options, values), writeNote));
  });
  addCommand(restoreSyntax, HEADINGS.host).action(async (file: string, values: object) => {
    const { text, report } = await restore(file, toValues(restoreSyntax.options, values));
    if (program.opts()['json'] !== true) return write(text);
    write(`${JSON.stringify(report)}\n`);
    writeNote(text);
  });
  addCommand(loadSyntax, HEADINGS.host).action(async (values: object) => {
    printResult(await load(toValues(loadSyntax.options, values)));
  });
  addCommand(sampleSyntax, HEADINGS.host).action(async (values: object) => {
    printResult(await createSample(toValues(sampleSyntax.options, values)));
  });
  program
    .command('help')
    .summary('Show the help of a command')
    .description('Show the help of a command, such as steward help site create.')
    .argument('[command...]')
    .action((words: string[]) => findCommand(program, words).outputHelp());
  program
    .command('completion')
    .summary('Print the completion script of a shell')
    .description('Print the completion script of a shell: eval "$(steward completion bash)"')
    .helpGroup(HEADINGS.host)
    .argument('<shell>', SHELLS.join(', '))
    .action((shell: string) => {
      if (!isShell(shell)) throw new CommandError(`Completion is available for ${SHELLS.join(', ')}`);
      write(formatCompletion(program, shell));
    });
  return program;
}

/** The command with this name of one or two words; the program itself without words. @throws CommandError */
function findCommand(program: Program, words: readonly string[]): Program {
  let found = program;
  for (const word of words) {
    const next = found.commands.find((each) => each.name() === word);
    if (!next) throw new CommandError(`Unknown command: ${words.join(' ')}. To list commands: steward help`);
    found = next;
  }
  return found;
}

const isShell = (name: string): name is Shell => SHELLS.some((each) => each === name);

/** Values of options as commander parsed them, by the names of the definitions. */
function toValues<Options extends OptionDefinitions>(options: Options, parsed: object) {
  const entries = Object.keys(options).map((name) => [name, findValue(parsed, name)] as const);
  // Commander returns a text, a list of texts or true, as the definitions say.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(entries) as { [Name in keyof Options]?: OptionValue<Options[Name]> };
}

type OptionValue<Definition> = Definition extends { multiple: true }
  ? string[]
  : Definition extends { type: 'boolean' }
    ? boolean
    : string;

/** Commander keeps values under camel-cased names. */
function findValue(parsed: object, name: string): unknown {
  const key = name.replaceAll(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase());
  return Object.entries(parsed).find(([each]) => each === key)?.[1];
}

/** The arguments and options of a parsed command as words, for the process that runs it. */
function toWords({ options }: Pick<Command, 'options'>, parsed: Program): string[] {
  const values = parsed.opts<Record<string, unknown>>();
  const words = Object.keys(options).flatMap((name) => {
    const value = findValue(values, name);
    if (value === undefined) return [];
    if (value === true) return [`--${name}`];
    return (Array.isArray(value) ? value : [value]).map((each) => `--${name}=${String(each)}`);
  });
  return [...words, ...(parsed.args.length > 0 ? ['--', ...parsed.args] : [])];
}
