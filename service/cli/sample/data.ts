import type { Tx } from '../../kernel/db/database.ts';
import { countsOf, drawEntries } from './entries.ts';
import { insertChanges, insertEntries, setCounter, takeEntryIds } from './entries.store.ts';
import { makeSampleTypes } from './entry-types.ts';
import type { SampleMember, Site } from './store.ts';
import { createRandom } from './random.ts';

/** Writes companies, contacts and deals of a site, made and looked after by its active people. */
export async function writeData(
  tx: Tx,
  site: Site,
  members: readonly SampleMember[],
  { seed, asOf }: { seed: number; asOf: Date },
): Promise<void> {
  const { siteId } = site;
  const types = await makeSampleTypes(tx, siteId);
  const counts = countsOf(members.length);
  const ids = {
    company: await takeEntryIds(tx, counts.company),
    contact: await takeEntryIds(tx, counts.contact),
    deal: await takeEntryIds(tx, counts.deal),
  };
  const users = members
    .filter(({ person }) => person.isActive && !person.isProgram)
    .map(({ userId }) => userId);
  const drawn = drawEntries({ random: createRandom(seed), siteId, types, users, asOf: asOf.getTime(), ids });
  await insertEntries(tx, types.company, drawn.company);
  await insertEntries(tx, types.contact, drawn.contact);
  await insertEntries(tx, types.deal, drawn.deal);
  await insertChanges(tx, siteId, drawn.changes);
  const number = types.deal.byName.get('number');
  if (number) await setCounter(tx, siteId, number.id, counts.deal + 1);
}
