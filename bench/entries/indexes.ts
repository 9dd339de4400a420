/** Writes, reads and size of entries with other indexes than those of the schema, in turns on copies of one database (docs/decisions/0099). */
import { Pool } from 'pg';
import { type Bench, measureMs, type Measure, percentile } from '../bench.ts';
import { measureProcessorTime } from '../processor-time.ts';
import { describeServer } from './entries.ts';
import { type EntryService, startEntryService } from './entry-service.ts';
import { prepareHandWrittenUpdate } from './hand-written-update.ts';
import {
  buildCompanionUpdate,
  buildInserts,
  type Design,
  DESIGNS,
  listReads,
  type SlotField,
} from './index-designs.ts';

const CELLS = 10_000;
const ROUNDS = 5;
/** Each round changes other entries, of a field with a slot and of one without. */
const MIN_ENTRIES = 2 * ROUNDS * CELLS;
const READS_PER_ROUND = 5;

interface Candidate {
  design: Design;
  databaseUrl: string;
  /** One connection, so that the statistics of a statement are complete when the next one reads them. */
  pool: Pool;
  fields: readonly SlotField[];
}

/** Values by measure, then by name of the design. */
type Samples = Map<string, Map<string, number[]>>;

function addSample(samples: Samples, { design }: Candidate, name: string, value: number): void {
  const byDesign = samples.get(name) ?? new Map<string, number[]>();
  samples.set(name, byDesign.set(design.name, [...(byDesign.get(design.name) ?? []), value]));
}

async function readNumber(pool: Pool, text: string): Promise<number> {
  const { rows } = await pool.query<{ n: string | number | null }>(text);
  return Number(rows[0]?.n);
}

/** Copies the database, and inserts its entries again in the form of the design, so that its indexes grow as they do in use. */
async function createCandidate(
  base: string,
  design: Design,
  name: string,
  typeId: number,
): Promise<Candidate> {
  const url = new URL(base);
  const admin = new Pool({ connectionString: new URL('/postgres', url).href, max: 1 });
  await admin.query(`create database ${name} template ${url.pathname.slice(1)}`);
  await admin.end();
  url.pathname = `/${name}`;
  const createPool = () => new Pool({ connectionString: url.href, max: 1, options: '-c jit=off' });
  const pool = createPool();
  const { rows: fields } = await pool.query<SlotField>(
    `select api_name as name, field_id as id, slot from field
      where site_id = 1 and type_id = $1 and slot <> 'name' order by field_id`,
    [typeId],
  );
  const statements = [
    `create unlogged table source as select * from entry where type_id = ${typeId}`,
    'truncate entry, entry_block',
    ...['entry', 'entry_change', 'cell_log'].map(
      (each) => `alter table ${each} set (autovacuum_enabled = off)`,
    ),
    ...design.schema(fields),
  ];
  for (const statement of statements) await pool.query(statement);
  const candidate = { design, databaseUrl: url.href, pool, fields };
  const first = await readNumber(pool, 'select min(entry_id) as n from source');
  const last = await readNumber(pool, 'select max(entry_id) as n from source');
  for (let id = first; id <= last; id += CELLS) await insertEntries(candidate, id, 0);
  await pool.query(`vacuum analyze entry${design.hasCompanions ? ', entry_number, entry_key' : ''}`);
  await pool.end();
  // New connections have the settings of the design.
  return { ...candidate, pool: createPool() };
}

/** Inserts copies of the entries from `firstId` on with ids that are larger by `shift`. */
async function insertEntries(
  { design, pool, fields }: Candidate,
  firstId: number,
  shift: number,
): Promise<void> {
  const rows = `(select * from source where site_id = 1 and entry_id >= ${firstId} and entry_id < ${firstId + CELLS})`;
  for (const statement of buildInserts(design, fields, rows, shift)) await pool.query(statement);
}

/** Duration, processor time of the database, bytes of the write-ahead log, and for updates the share of HOT ones. */
async function measureWrite(
  candidate: Candidate,
  samples: Samples,
  name: string,
  write: () => Promise<unknown>,
): Promise<void> {
  const { pool, databaseUrl } = candidate;
  const readUpdates = (column: string) =>
    readNumber(pool, `select ${column} as n from pg_stat_user_tables where relname = 'entry'`);
  const read = async () => {
    await pool.query('select pg_stat_force_next_flush()');
    return {
      updates: await readUpdates('n_tup_upd'),
      hot: await readUpdates('n_tup_hot_upd'),
      wal: await readNumber(pool, `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as n`),
      processor: measureProcessorTime(databaseUrl).database,
    };
  };
  const before = await read();
  const ms = await measureMs(write);
  const after = await read();
  addSample(samples, candidate, `${name}, ms`, ms);
  addSample(samples, candidate, `${name}, ms of processor`, (after.processor - before.processor) * 1000);
  addSample(samples, candidate, `${name}, MB of log`, (after.wal - before.wal) / 1e6);
  const updates = after.updates - before.updates;
  if (updates > 0)
    addSample(samples, candidate, `${name}, % HOT`, (100 * (after.hot - before.hot)) / updates);
}

/** Changes a field with a slot and one without in entries that nobody has changed, right after a checkpoint, then in the same again. */
async function measureUpdates(
  entryService: EntryService,
  candidate: Candidate,
  samples: Samples,
  round: number,
  firstId: number,
): Promise<void> {
  const { pool, design, fields } = candidate;
  const listIds = (range: number) => Array.from({ length: CELLS }, (_, at) => firstId + range * CELLS + at);
  const updates = [
    ['a slot', 'Employees', listIds(2 * round)],
    ['no slot', 'Source', listIds(2 * round + 1)],
  ] as const;
  for (const [name, field, ids] of updates) {
    const furtherUpdate = buildCompanionUpdate(design, fields);
    const update = await prepareHandWrittenUpdate(entryService, pool, ids, [field], furtherUpdate);
    const write = (turn: number) => () => update(() => ids.map((id) => 5 + ((id * 7 + turn * 13) % 5000)));
    await pool.query(`vacuum analyze entry, entry_change${design.hasCompanions ? ', entry_number' : ''}`);
    await pool.query('checkpoint');
    await measureWrite(candidate, samples, `${name}, first`, write(round));
    await measureWrite(candidate, samples, `${name}, again`, write(round + ROUNDS));
  }
}

/** Blocks that a statement reads. */
async function countBlocks(pool: Pool, text: string): Promise<number> {
  const { rows } = await pool.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
    `explain (analyze, buffers, timing off, format json) ${text}`,
  );
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan ?? {};
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
}

/** Blocks and the fastest of some calls of each read, which other work on the machine delays least. */
async function measureReads(
  candidate: Candidate,
  samples: Samples,
  values: Parameters<typeof listReads>[2],
): Promise<void> {
  const { design, pool, fields } = candidate;
  for (const [name, text] of listReads(design, fields, values)) {
    addSample(samples, candidate, `${name}, blocks`, await countBlocks(pool, text));
    const durations: number[] = [];
    for (let call = 0; call < READS_PER_ROUND; call += 1)
      durations.push(await measureMs(() => pool.query(text)));
    addSample(samples, candidate, `${name}, ms`, Math.min(...durations));
  }
}

/** Bytes a row of the entries, their companion tables, and all of their indexes. */
async function measureSize(candidate: Candidate, samples: Samples): Promise<void> {
  const sizes = {
    table: 'pg_table_size',
    indexes: 'pg_indexes_size',
    'table and indexes': 'pg_total_relation_size',
  };
  for (const [name, size] of Object.entries(sizes)) {
    const bytes = await readNumber(
      candidate.pool,
      `select sum(${size}(oid)) / (select count(*) from entry) as n from pg_class
        where relname in ('entry', 'entry_number', 'entry_key')`,
    );
    addSample(samples, candidate, `${name}, bytes an entry`, bytes);
  }
}

/** Bytes a row of each index of `entry`. */
async function describeIndexes({ pool }: Candidate): Promise<string> {
  const { rows } = await pool.query<{ text: string }>(
    `select string_agg(relname || ' ' || round(pg_relation_size(indexrelid) / (select count(*) from entry)::numeric),
        ', ' order by pg_relation_size(indexrelid) desc) as text
      from pg_index join pg_class on pg_class.oid = indexrelid where indrelid = 'entry'::regclass`,
  );
  return rows[0]?.text ?? '';
}

const formatTable = (samples: Samples): string =>
  [
    `| | ${DESIGNS.map(({ name }) => name).join(' | ')} |`,
    `|---${'|---'.repeat(DESIGNS.length)}|`,
    ...[...samples].map(([name, byDesign]) => {
      const medians = DESIGNS.map((design) => percentile(byDesign.get(design.name) ?? [], 0.5));
      const cells = medians.map((median) =>
        median.toLocaleString('en', { maximumFractionDigits: median < 100 ? 1 : 0 }),
      );
      return `| ${name} | ${cells.join(' | ')} |`;
    }),
  ].join('\n');

async function measureDesigns(entryService: EntryService, note: (text: string) => void): Promise<Measure[]> {
  const base = entryService.service.storageEnv['DATABASE_URL'] ?? '';
  const candidates: Candidate[] = [];
  for (const [at, design] of DESIGNS.entries())
    candidates.push(await createCandidate(base, design, `index_design_${at}`, entryService.typeId));
  const [today] = candidates;
  if (!today) throw new Error('There are designs');
  note(
    `${await describeServer(today.pool)} Bytes an entry of today's indexes: ${await describeIndexes(today)}.`,
  );
  const samples: Samples = new Map();
  for (const candidate of candidates) await measureSize(candidate, samples);
  const sizes = new Map(samples.get('table and indexes, bytes an entry'));
  const firstId = await readNumber(today.pool, 'select min(entry_id) as n from entry');
  const stageId = entryService.getField('Stage').choiceValues[0]?.id ?? 0;
  const values = { typeId: entryService.typeId, stageId, skip: entryService.entries / 2 };
  // In turns, so that other work on the machine meets all designs.
  for (let round = 0; round < ROUNDS; round += 1)
    for (const candidate of candidates) await measureReads(candidate, samples, values);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const candidate of candidates)
      await measureUpdates(entryService, candidate, samples, round, firstId);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const candidate of candidates) {
      await candidate.pool.query('checkpoint');
      const shift = entryService.entries;
      await measureWrite(candidate, samples, '10,000 inserts', () =>
        insertEntries(candidate, firstId + round * CELLS, shift),
      );
    }
  note(`\n\n${formatTable(samples)}\n\n`);
  for (const { pool } of candidates) await pool.end();
  const floor = sizes.get(today.design.name)?.[0] ?? 0;
  return candidates.map(({ design }) => ({
    name: `bytes an entry, ${design.name}`,
    ours: sizes.get(design.name)?.[0] ?? 0,
    floor,
    unit: 'B',
  }));
}

export const indexes: Bench = {
  name: 'Indexes of entries',
  peerName: 'today',
  async run({ entries = MIN_ENTRIES, note }) {
    const requestedCount = Math.max(entries, MIN_ENTRIES);
    const entryService = await startEntryService('postgres', { entries: requestedCount, changes: 0 });
    try {
      await entryService.service.stop();
      return await measureDesigns(entryService, note);
    } finally {
      await entryService.remove();
    }
  },
};
