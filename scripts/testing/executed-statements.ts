/**
 * Records which SQL statements of the service the tests execute. A Vite plugin makes every statement report itself when
 * it is evaluated; scripts/testing/check-statements.ts compares the reports with the sources. Coverage of V8 would answer the
 * same question, but takes a sixth of the time of the service tests.
 */
import { globSync, readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import ts from 'typescript';
import type { Plugin } from 'vite';

/** Files that contain SQL (docs/decisions/0034-code-layout.md). */
const SQL_FILES = ['service/**/*store.ts', 'service/kernel/db/**/*.ts', 'service/cli/**/*.ts'];
const QUERY_BUILDERS = new Set(['selectFrom', 'insertInto', 'updateTable', 'deleteFrom', 'mergeInto']);
/** Name of the file to which vitest-each.ts appends ids of executed statements; without it nothing is recorded. */
const REPORT_VARIABLE = 'STEWARD_EXECUTED_STATEMENTS';

interface SqlStatement {
  /** `path:line:column`, unique in the service. */
  id: string;
  start: number;
  end: number;
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

/** SQL templates and Kysely queries in a source text, `sql` fragments included, an outer one before those within it. */
export function findStatements(file: string, text: string): SqlStatement[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const statements: SqlStatement[] = [];
  const visit = (node: ts.Node): void => {
    if (isSqlTemplate(node) || isQueryBuilder(node)) {
      const [start, end] = [node.getStart(), node.getEnd()];
      const { line, character } = source.getLineAndCharacterOfPosition(start);
      statements.push({ id: `${file}:${line + 1}:${character + 1}`, start, end });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return statements;
}

export const findSqlFiles = (): string[] =>
  globSync(SQL_FILES, { exclude: ['**/*.test.ts'] }).map((file) => file.replaceAll('\\', '/'));

/** Ids of all SQL statements in the sources of the service. */
export const findAllStatements = (): string[] =>
  findSqlFiles().flatMap((file) => findStatements(file, readFileSync(file, 'utf8')).map(({ id }) => id));

/** Wraps each statement in an expression that records its id first. Line numbers stay the same. */
function addRecording(file: string, text: string): string {
  const insertions = findStatements(file, text).flatMap(({ id, start, end }) => [
    { at: start, text: `(globalThis.executedStatements?.add(${JSON.stringify(id)}), ` },
    { at: end, text: ')' },
  ]);
  return insertions
    .toSorted((a, b) => b.at - a.at)
    .reduce((result, { at, text: inserted }) => result.slice(0, at) + inserted + result.slice(at), text);
}

/** Vite plugin that lets the SQL statements of the service record that they were executed, if a report is wanted. */
export function recordStatements(): Plugin | undefined {
  if (process.env[REPORT_VARIABLE] === undefined) return undefined;
  const files = new Set(findSqlFiles());
  return {
    name: 'record-executed-statements',
    enforce: 'pre',
    transform(text, id) {
      const file = relative(process.cwd(), id).replaceAll('\\', '/');
      return files.has(file) ? { code: addRecording(file, text), map: null } : undefined;
    },
  };
}

/** Environment variable that makes tests report executed statements to a new file. */
export function startReport(file: string): Record<string, string> {
  rmSync(file, { force: true });
  return { [REPORT_VARIABLE]: file };
}
