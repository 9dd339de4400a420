/** Plans of the statements that a function executes. */
import { CompiledQuery, PostgresQueryCompiler, sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';

/** The parts of a node of `explain (format json)` that are read here. */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: PlanNode[];
}

const listSequentialScans = ({ Plans = [], ...node }: PlanNode): string[] => [
  ...(node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : []),
  ...Plans.flatMap(listSequentialScans),
];

/**
 * Runs `work` and returns its statements with the tables that PostgreSQL can read only as a whole for them, because no index fits.
 * Tables of any size give the same result: sequential scans are forbidden to the planner, which then uses them only without choice.
 */
export async function findSequentialScans(
  db: Db,
  work: (db: Db) => Promise<unknown>,
): Promise<{ statement: string; tables: string[] }[]> {
  const compiler = new PostgresQueryCompiler();
  const statements: CompiledQuery[] = [];
  await work(
    db.withPlugin({
      transformQuery({ node, queryId }) {
        statements.push(compiler.compileQuery(node, queryId));
        return node;
      },
      transformResult: async ({ result }) => result,
    }),
  );
  return db.transaction().execute(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx);
    const found: { statement: string; tables: string[] }[] = [];
    for (const { sql: statement, parameters } of statements) {
      const { rows } = await tx.executeQuery<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
        CompiledQuery.raw(`explain (format json) ${statement}`, [...parameters]),
      );
      const plans = rows.flatMap((row) => row['QUERY PLAN']);
      const tables = [...new Set(plans.flatMap(({ Plan }) => listSequentialScans(Plan)))];
      found.push({ statement: statement.replaceAll(/\s+/g, ' ').trim(), tables });
    }
    return found;
  });
}
