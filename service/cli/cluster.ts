import { readConfig } from '../kernel/config.ts';
import { ClusterError, initCluster, moveSite, readClusterStatus } from '../kernel/db/cluster.ts';
import { type Db, withUnmigrated } from '../kernel/db/database.ts';
import { readMigrationState } from '../kernel/db/migrate.ts';
import { CommandError, type CommandSyntax } from './commands/command.ts';
import { nameWhenRefused } from './database-option.ts';

export const clusterInitSyntax = {
  name: 'cluster init',
  summary: 'Distribute the data of sites over the nodes of a Citus cluster',
  details:
    'Stop the service first: the tables are locked until their rows are on the nodes. Can be repeated; what is distributed stays as it ' +
    'is. There is no way back but a backup of each site.',
  options: {},
} as const satisfies CommandSyntax;

export const clusterStatusSyntax = {
  name: 'cluster status',
  summary: 'Show the nodes of the cluster',
  options: { sites: { type: 'boolean', description: 'list the sites with their nodes instead' } },
} as const satisfies CommandSyntax;

export const clusterMoveSyntax = {
  name: 'cluster move-site',
  args: '<slug> <host:port>',
  summary: 'Move the data of a site to a node, while the service runs',
  details:
    'The site gets shards of its own first; meanwhile writes to it and to sites beside it wait. During the move, reads and writes go on.',
  options: {},
} as const satisfies CommandSyntax;

/** Runs work on the coordinator with no limit of time. @throws CommandError with a reason that a person can act on */
async function onCoordinator<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const { databaseUrl, dataDir } = readConfig(process.env);
  if (databaseUrl === undefined)
    throw new CommandError('A cluster needs DATABASE_URL, the address of its coordinator');
  const running = withUnmigrated({ databaseUrl: databaseUrl.reveal(), dataDir }, async (db) => {
    try {
      return await work(db);
    } catch (error) {
      throw error instanceof ClusterError ? new CommandError(error.message) : error;
    }
  });
  return nameWhenRefused({}, running);
}

export const runClusterInit = (): Promise<unknown> =>
  onCoordinator(async (db) => {
    const { pending, newer } = await readMigrationState(db);
    if (pending.length > 0 || newer.length > 0)
      throw new CommandError('The database is not of this version. Run steward migrate --run first');
    const { distributed, droppedForeignKeys } = await initCluster(db);
    return { distributed: distributed.length, tables: distributed, droppedForeignKeys };
  });

export const runClusterStatus = (listsSites: boolean): Promise<unknown> =>
  onCoordinator(async (db) => {
    const { nodes, sites, missing } = await readClusterStatus(db);
    if (missing.length > 0)
      throw new CommandError(`Not distributed: ${missing.join(', ')}. Run steward cluster init`);
    return listsSites ? sites : nodes;
  });

export const runClusterMove = (slug: string, node: string): Promise<unknown> =>
  onCoordinator((db) => moveSite(db, slug, node));
