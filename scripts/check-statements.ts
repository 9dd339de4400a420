/**
 * Fails if a SQL statement of the service is not executed by any test: an unexecuted statement could name a column that does not
 * exist. Reads the coverage report that the service tests write (scripts/test.ts); a statement counts as executed if its source
 * location is covered.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import ts from 'typescript';
import { z } from 'zod';

const Position = z.object({ line: z.number(), column: z.number().nullable() });
const Range = z.object({ start: Position, end: Position });
/** A missing `else` has a location without positions. */
const BranchLocation = z.union([Range, z.object({}).transform(() => undefined)]);
type Range = z.infer<typeof Range>;
/** The parts of an Istanbul report (coverage-final.json) that contain uncovered ranges. */
const FileCoverage = z.object({
  statementMap: z.record(z.string(), Range),
  s: z.record(z.string(), z.number()),
  fnMap: z.record(z.string(), z.object({ loc: Range })),
  f: z.record(z.string(), z.number()),
  branchMap: z.record(z.string(), z.object({ type: z.string(), locations: z.array(BranchLocation) })),
  b: z.record(z.string(), z.array(z.number())),
});
type FileCoverage = z.infer<typeof FileCoverage>;

const QUERY_BUILDERS = new Set(['selectFrom', 'insertInto', 'updateTable', 'deleteFrom', 'mergeInto']);

/** Ranges of the file that no test executed, as offsets of the source text. */
function findUncoveredRanges(source: ts.SourceFile, coverage: FileCoverage): [start: number, end: number][] {
  const statements = Object.entries(coverage.statementMap).map(([id, range]) => ({
    range,
    count: coverage.s[id],
  }));
  const functions = Object.entries(coverage.fnMap).map(([id, { loc }]) => ({
    range: loc,
    count: coverage.f[id],
  }));
  // The blocks of `if` and `switch` consist of statements; other branches are parts of expressions.
  const expressions = Object.entries(coverage.branchMap)
    .filter(([, { type }]) => type !== 'if' && type !== 'switch')
    .flatMap(([id, { locations }]) =>
      locations.map((range, index) => ({ range, count: coverage.b[id]?.[index] })),
    );
  const lineStarts = source.getLineStarts();
  const getOffset = ({ line, column }: Range['start'], isEnd: boolean): number => {
    const lineEnd = lineStarts[line] ?? source.text.length;
    return column === null
      ? isEnd
        ? lineEnd
        : (lineStarts[line - 1] ?? 0)
      : (lineStarts[line - 1] ?? 0) + column;
  };
  return [...statements, ...functions, ...expressions].flatMap(({ range, count }) =>
    range && count === 0 ? [[getOffset(range.start, false), getOffset(range.end, true)]] : [],
  );
}

/** Whether the node is a `sql` template; empty ones cannot be wrong. */
const isSqlTemplate = (node: ts.Node): boolean =>
  ts.isTaggedTemplateExpression(node) &&
  ts.isIdentifier(node.tag) &&
  node.tag.text === 'sql' &&
  !(ts.isNoSubstitutionTemplateLiteral(node.template) && node.template.text.trim() === '');

const isQueryBuilder = (node: ts.Node): boolean =>
  ts.isCallExpression(node) &&
  ts.isPropertyAccessExpression(node.expression) &&
  QUERY_BUILDERS.has(node.expression.name.text);

/** SQL templates and Kysely queries in the file, `sql` fragments included. */
function findSqlNodes(source: ts.SourceFile): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (isSqlTemplate(node) || isQueryBuilder(node)) nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return nodes;
}

/** `path:line` of each statement in the report that was not executed. */
function findUnexecutedStatements(reportFile: string): { total: number; unexecuted: string[] } {
  if (!existsSync(reportFile))
    throw new Error(`There is no coverage report ${reportFile}: run the service tests first`);
  const report = z.record(z.string(), FileCoverage).parse(JSON.parse(readFileSync(reportFile, 'utf8')));
  const unexecuted: string[] = [];
  let total = 0;
  for (const [file, coverage] of Object.entries(report)) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    const ranges = findUncoveredRanges(source, coverage);
    for (const node of findSqlNodes(source)) {
      total += 1;
      const [start, end] = [node.getStart(), node.getEnd()];
      if (!ranges.some(([from, to]) => from <= start && end <= to)) continue;
      const { line } = source.getLineAndCharacterOfPosition(start);
      unexecuted.push(`${relative(process.cwd(), file)}:${line + 1}`);
    }
  }
  return { total, unexecuted: [...new Set(unexecuted)] };
}

const { total, unexecuted } = findUnexecutedStatements(
  process.argv[2] ?? 'test-results/coverage/coverage-final.json',
);
if (unexecuted.length > 0) {
  console.error(`No test executes these SQL statements:\n  ${unexecuted.join('\n  ')}`);
  process.exitCode = 1;
} else console.log(`Tests execute all ${total} SQL statements and fragments of the service.`);
