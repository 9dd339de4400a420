import { readConfig } from '../kernel/config.ts';
import { CommandError, type CommandSyntax, type OptionValues } from './commands/command.ts';
import { chooseDatabase } from './database-option.ts';
import { loadEntries, type LoadOptions } from './load/load-entries.ts';
import { openLoadTarget } from './load/target.ts';
import { parseAsOfOption, parseNumberOption } from './parse-options.ts';

export const loadSyntax = {
  name: 'load',
  summary: 'Create an entry type with twenty fields and fill it with random entries',
  details:
    'Without a PostgreSQL the embedded database in DATA_DIR is filled; stop the service first. On PostgreSQL, requests that read ' +
    'entries wait until the load has finished if it creates at least ten times as many entries as exist.',
  options: {
    site: { type: 'string', value: 'slug', description: 'required' },
    type: { type: 'string', value: 'name', description: 'entry type; default: Prospect' },
    entries: { type: 'string', value: 'number', description: 'default: 1000000' },
    changes: {
      type: 'string',
      value: 'number',
      description: 'average number of changes of an entry; default: 0',
    },
    seed: { type: 'string', value: 'number', description: 'default: 1' },
    'as-of': { type: 'string', value: 'date', description: 'such as 2026-11-20; default: now' },
    'database-url': { type: 'string', value: 'url', description: 'instead of DATABASE_URL' },
  },
} as const satisfies CommandSyntax;

/** The form of apiNames in the interface (ApiName). */
const API_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Runs the command. @throws Error */
export async function load(values: OptionValues<typeof loadSyntax.options>): Promise<unknown> {
  if (values.site === undefined) throw new CommandError('Specify the site with --site SLUG');
  const { type = 'Prospect' } = values;
  if (!API_NAME.test(type))
    throw new CommandError('--type: letters, digits and _, beginning with a letter, such as Prospect');
  const options: LoadOptions = {
    site: values.site,
    type,
    entries: parseNumberOption('--entries', values.entries ?? '1000000', 1, 10_000_000),
    changes: parseNumberOption('--changes', values.changes ?? '0', 0, 100),
    seed: parseNumberOption('--seed', values.seed ?? '1', 0, 2 ** 31 - 1),
    asOf: parseAsOfOption(values['as-of']),
  };
  const target = await openLoadTarget(chooseDatabase(values['database-url'], readConfig(process.env)));
  try {
    const startedAt = performance.now();
    const { changes } = await loadEntries(target, options);
    const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(1));
    return { type: options.type, entries: options.entries, changes, seconds };
  } finally {
    await target.close();
  }
}
