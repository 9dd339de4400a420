import { sql } from 'kysely';
import { addField, createType, type EntryType, holdSchema } from '../../areas/schema/index.ts';
import { change, hostActor, type Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { createRandom, type Random } from '../sample/random.ts';
import { drawVals, madeAt, type Stock } from './draw.ts';
import { writeHistory } from './history.ts';
import { withoutIndexes } from './indexes.ts';
import { changeRows, type Entry, entryRows, multiRows, textRows } from './rows.ts';
import type { Target } from './target.ts';
import { companyType } from './type.ts';

export interface LoadOptions {
  site: string;
  /** The apiName of the new type. */
  type: string;
  entries: number;
  /** Changes of values in the history of an entry, on average. */
  changes: number;
  seed: number;
  /** The moment at which the data end. */
  asOf: Date;
}

export interface Loaded {
  siteId: number;
  typeId: number;
  changes: number;
}

/** Entries are written so many at a time, each table after the other. */
const PIECE = 10_000;

/** Makes an entry type and fills it with drawn entries and their history: all of it or nothing. */
export async function loadEntries(target: Target, options: LoadOptions): Promise<Loaded> {
  const siteId = await siteCalled(target, options.site);
  const loaded = await change(target.db, hostActor(siteId), async (tx, record) => {
    const type = await makeType(tx, siteId, options.type, record);
    const stock = await stockOf(tx, siteId, options);
    const changes = await withoutIndexes(tx, options.entries, async () => {
      for (const entries of pieces(siteId, type, stock, createRandom(options.seed)))
        // oxlint-disable-next-line no-await-in-loop -- one connection, in order
        await writePiece(tx, target, type, entries);
      return writeHistory(tx, type, stock, { ...options, siteId });
    });
    record({
      action: 'cli.load',
      subject: ['entry-type', type.id],
      changes: { entries: [null, options.entries], changes: [null, changes] },
    });
    return { siteId, typeId: type.id, changes };
  });
  // Without it the first reads would look at each row to learn whether it is there, and plan for empty tables.
  await sql`vacuum analyze entry, entry_change, entry_multi, entry_text, cell_log, list_block`.execute(
    target.db,
  );
  return loaded;
}

async function siteCalled({ db }: Target, slug: string): Promise<number> {
  const row = await db.selectFrom('site').select('site_id').where('slug', '=', slug).executeTakeFirst();
  if (!row) throw new Error(`There is no site ${slug}`);
  return row.site_id;
}

async function makeType(tx: Tx, siteId: number, apiName: string, record: Recorder): Promise<EntryType> {
  const { names, fields } = companyType(apiName);
  const id = await createType(tx, siteId, names, record);
  for (const field of fields)
    // oxlint-disable-next-line no-await-in-loop -- their ids and slots are in this order
    await addField(tx, siteId, String(id), field, record);
  const type = (await holdSchema(tx, siteId)).typesById.get(id);
  if (!type) throw new Error(`Type ${id} was not made`);
  return type;
}

async function stockOf(tx: Tx, siteId: number, { entries, asOf }: LoadOptions): Promise<Stock> {
  const users = await sql<{ id: number }>`
    select user_id as id from membership where site_id = ${siteId} and is_active order by user_id limit 1000`.execute(
    tx,
  );
  const ids = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('entry', 'entry_id'))::int as id from generate_series(1, ${entries}::int)`.execute(
    tx,
  );
  return {
    users: users.rows.map(({ id }) => id),
    entryIds: ids.rows.map(({ id }) => id),
    asOf: asOf.getTime(),
  };
}

/** Entries as they are drawn, in pieces: the first table that takes a piece draws it. */
function* pieces(siteId: number, type: EntryType, stock: Stock, random: Random): Generator<Iterable<Entry>> {
  function* piece(from: number): Generator<Entry> {
    for (const [offset, entryId] of stock.entryIds.slice(from, from + PIECE).entries()) {
      const index = from + offset;
      const createdBy = stock.users[index % stock.users.length] ?? null;
      yield {
        siteId,
        entryId,
        vals: drawVals(random, type, stock, index),
        createdAt: madeAt(stock, index),
        createdBy,
      };
    }
  }
  for (let from = 0; from < stock.entryIds.length; from += PIECE) yield piece(from);
}

async function writePiece(tx: Tx, target: Target, type: EntryType, drawn: Iterable<Entry>): Promise<void> {
  const entries: Entry[] = [];
  function* kept() {
    for (const entry of drawn) {
      entries.push(entry);
      yield entry;
    }
  }
  await target.write(tx, entryRows(type, kept()));
  await target.write(tx, changeRows(type, entries));
  await target.write(tx, multiRows(type, entries));
  await target.write(tx, textRows(type, entries));
}
