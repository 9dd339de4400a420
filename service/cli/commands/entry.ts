import { parseArgs } from 'node:util';
import { restoreEntries } from '../../areas/entries/index.ts';
import { type Command, CommandError, understood } from './command.ts';
import { pickSite } from './store.ts';

const MAX_ID = 2_147_483_647;

/** `entry restore TYPE ID... [--site SLUG]`: deleted entries come back, with their ids and their history. */
export const restoreEntry: Command = async ({ db }, args) => {
  const { positionals, values } = understood(() =>
    parseArgs({ args: [...args], options: { site: { type: 'string' } }, allowPositionals: true }),
  );
  const [typeName, ...texts] = positionals;
  const ids = [...new Set(texts.map(Number))];
  if (typeName === undefined || ids.length === 0)
    throw new CommandError('Give an entry type and the ids of deleted entries');
  const wrong = texts.find((text) => !/^\d+$/.test(text) || Number(text) < 1 || Number(text) > MAX_ID);
  if (wrong !== undefined) throw new CommandError(`${wrong} is not the id of an entry`);
  const { site_id: siteId } = await pickSite(db, values.site);
  const result = await restoreEntries(db, siteId, typeName, ids);
  if (!result) throw new CommandError(`The site has no entry type ${typeName}`);
  return result;
};
