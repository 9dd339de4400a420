/**
 * Copies everything from one database to another one of the same version. Rows are copied as texts, block by block; what is done is
 * recorded in the target with the rows, so that an interrupted move continues where it was.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDistributed } from '../../kernel/db/cluster.ts';
import { type Db, withTransaction } from '../../kernel/db/database.ts';
import { type DataTable, digestTable, listTables } from '../../kernel/db/table-digest.ts';
import { CommandError } from '../commands/command.ts';
import type { RestoreTarget } from '../restore/target.ts';
import {
  analyze,
  countBlocks,
  countServiceConnections,
  executeSteps,
  findNextBlock,
  finishTarget,
  hasSites,
  isMoveTarget,
  listStatements,
  markAsMoved,
  prepareTarget,
  readBlocks,
  readSequences,
  setNextBlock,
  setSequences,
} from './move.store.ts';

const MAX_BLOCKS = 4_096;
/** Characters of the values that are read at once: long values are outside of the blocks. */
const MIN_CHARACTERS = 2_000_000;
const MAX_CHARACTERS = 8_000_000;

/** Indexes are built and recorded together for this time. */
const STEP_MS = 1_000;

export interface MoveOptions {
  /** Name of the target, for the service that is started on the source. */
  targetName: string;
  /** Whether to copy all rows again after an interrupted move. */
  restarts: boolean;
  /** Called after each part of a table. */
  onProgress: (table: string, rows: number) => void;
}

interface MoveReport {
  tables: number;
  rows: number;
}

/**
 * Moves all data and verifies them: number of rows and hash of each table. Then the source is marked as moved, and a service can start
 * on the target.
 * @throws CommandError when a service runs, the target has data, or the databases differ
 */
export async function moveDatabase(
  source: Db,
  target: RestoreTarget,
  { targetName, restarts, onProgress }: MoveOptions,
): Promise<MoveReport> {
  await refuseRunningService(source, 'this database');
  await refuseRunningService(target.db, 'the target');
  await refuseCluster(source, 'this database');
  await refuseCluster(target.db, 'the target');
  const tables = await listTables(source);
  const names = tables.map(({ name }) => name);
  compareSchemas(tables, await listTables(target.db));
  const isResumed = await isMoveTarget(target.db);
  if (!isResumed && (await hasSites(target.db)))
    throw new CommandError('The target has sites already: give an empty database');
  await withTransaction(source, {}, (tx) =>
    markAsMoved(
      tx,
      `Its data are being moved to ${targetName}, or were. To use it again: steward move --stay`,
    ),
  );
  if (!isResumed || restarts)
    await withTransaction(target.db, {}, async (tx) => {
      await markAsMoved(tx, 'The move into it has not finished: run the same steward move again');
      await prepareTarget(tx, names);
    });
  const blocks = await countBlocks(source, names);
  for (const table of tables) await copyTable(source, target, table, blocks.get(table.name) ?? 0, onProgress);
  const rows = await compareContents(source, target.db, tables);
  const steps = await listStatements(target.db);
  while (steps.length > 0)
    steps.splice(0, await withTransaction(target.db, {}, (tx) => executeSteps(tx, steps, STEP_MS)));
  const sequences = await readSequences(source);
  await withTransaction(target.db, {}, async (tx) => {
    await setSequences(tx, sequences);
    await finishTarget(tx, names);
  });
  await analyze(target.db);
  return { tables: tables.length, rows };
}

/** Connections of a service that has just ended are still listed for a moment. */
const LISTED_MS = 500;
const CHECK_INTERVAL_MS = 50;

async function refuseRunningService(db: Db, name: string): Promise<void> {
  const end = performance.now() + LISTED_MS;
  while ((await countServiceConnections(db)) > 0) {
    if (performance.now() > end)
      throw new CommandError(`A service uses ${name}: stop all its processes first`);
    await sleep(CHECK_INTERVAL_MS);
  }
}

/** Rows are read and written by their place in the files of the server, and those of a cluster are on other servers. */
async function refuseCluster(db: Db, name: string): Promise<void> {
  if (await isDistributed(db))
    throw new CommandError(
      `The tables of ${name} are distributed over a cluster. To move into a cluster, move to its coordinator before steward cluster init; ` +
        'to leave one, back up each site and restore it elsewhere.',
    );
}

const describeTables = (tables: readonly DataTable[]): Set<string> =>
  new Set(tables.map(({ name, signature }) => `${name} (${signature})`));

/** @throws CommandError when tables or columns differ */
function compareSchemas(ours: readonly DataTable[], theirs: readonly DataTable[]): void {
  const differences = [...describeTables(ours).symmetricDifference(describeTables(theirs))];
  if (differences.length > 0)
    throw new CommandError(`The tables of the databases differ:\n${differences.join('\n')}`);
}

async function copyTable(
  source: Db,
  target: RestoreTarget,
  table: DataTable,
  blocks: number,
  onProgress: MoveOptions['onProgress'],
): Promise<void> {
  if (blocks === 0) return;
  let count = 64;
  for (let from = await findNextBlock(target.db, table.name); from < blocks;) {
    const to = Math.min(blocks, from + count);
    const rows = await readBlocks(source, table, from, to);
    await withTransaction(target.db, {}, async (tx) => {
      if (rows.length > 0) await target.write(tx, table.name, table.columns, rows);
      await setNextBlock(tx, table.name, to);
    });
    onProgress(table.name, rows.length);
    const characters = rows.reduce(
      (sum, row) => row.reduce((length, value) => length + (value?.length ?? 0), sum),
      0,
    );
    if (characters < MIN_CHARACTERS) count = Math.min(MAX_BLOCKS, count * 2);
    else if (characters > MAX_CHARACTERS) count = Math.max(1, count >> 1);
    from = to;
  }
}

/** @returns the number of rows. @throws CommandError when a table differs */
async function compareContents(source: Db, target: Db, tables: readonly DataTable[]): Promise<number> {
  const differences: string[] = [];
  let count = 0;
  for (const table of tables) {
    const [ours, theirs] = await Promise.all([digestTable(source, table), digestTable(target, table)]);
    count += ours.rows;
    if (ours.rows !== theirs.rows)
      differences.push(`${table.name}: ${ours.rows} rows, ${theirs.rows} in the target`);
    else if (ours.hash !== theirs.hash) differences.push(`${table.name}: other contents`);
  }
  if (differences.length > 0)
    throw new CommandError(
      `The target differs, because this database was used during the move. Run it again with --restart.\n${differences.join('\n')}`,
    );
  return count;
}
