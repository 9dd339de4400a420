import { restoreEntries } from '../../areas/entries/index.ts';
import { CommandError, defineCommand } from './command.ts';
import { resolveSite } from './commands.store.ts';

const MAX_ID = 2_147_483_647;

export const restoreEntry = defineCommand({
  name: 'entry restore',
  args: '<type> <ids...>',
  summary: 'Restore deleted entries with their ids, values and history, but not references to them',
  options: { site: { type: 'string', value: 'slug', description: 'site, if there are several' } },
  async run({ db }, [typeName, ...texts], values) {
    const ids = [...new Set(texts.map(Number))];
    if (typeName === undefined || ids.length === 0)
      throw new CommandError('Give an entry type and the ids of deleted entries');
    const invalidId = texts.find((text) => !/^\d+$/.test(text) || Number(text) < 1 || Number(text) > MAX_ID);
    if (invalidId !== undefined) throw new CommandError(`${invalidId} is not a valid entry id`);
    const { site_id: siteId } = await resolveSite(db, values.site);
    const result = await restoreEntries(db, siteId, typeName, ids);
    if (!result) throw new CommandError(`The site has no entry type ${typeName}`);
    return result;
  },
});
