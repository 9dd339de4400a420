import { parseArgs } from 'node:util';
import { restoreEntries } from '../../areas/entries/index.ts';
import { type Command, CommandError, parseOrReject } from './command.ts';
import { resolveSite } from './commands.store.ts';

const MAX_ID = 2_147_483_647;

/** `entry restore TYPE ID... [--site SLUG]`: restores deleted entries with their ids and history. */
export const restoreEntry: Command = async ({ db }, args) => {
  const { positionals, values } = parseOrReject(() =>
    parseArgs({ args: [...args], options: { site: { type: 'string' } }, allowPositionals: true }),
  );
  const [typeName, ...texts] = positionals;
  const ids = [...new Set(texts.map(Number))];
  if (typeName === undefined || ids.length === 0)
    throw new CommandError('Give an entry type and the ids of deleted entries');
  const invalidId = texts.find((text) => !/^\d+$/.test(text) || Number(text) < 1 || Number(text) > MAX_ID);
  if (invalidId !== undefined) throw new CommandError(`${invalidId} is not a valid entry id`);
  const { site_id: siteId } = await resolveSite(db, values.site);
  const result = await restoreEntries(db, siteId, typeName, ids);
  if (!result) throw new CommandError(`The site has no entry type ${typeName}`);
  return result;
};
