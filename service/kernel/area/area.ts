import type { TableSheet } from '../backup-sheets.ts';
import type { Db } from '../db/database.ts';
import type { Tables } from '../db/tables/index.ts';
import type { Handlers, OperationId, Services } from '../http/handler.ts';
import type { JobKind, JobKinds } from '../jobs/job-kind.ts';
import type { MailExample } from '../mail/examples.ts';
import type { ScheduledTask } from '../tasks/scheduled-tasks.ts';

/** What a backup does with a table. */
type TableBackup =
  /** The rows are in this sheet, without some columns. */
  | { sheet: string; columnsLeftOut?: readonly string[] }
  /** The rows are not in backups; the reason in words. */
  | { leftOut: string };

interface TableDefinition {
  backup: TableBackup;
  /** How long rows are kept, in words; without it until they are deleted by an operation. */
  retention?: string;
}

/** Tables that migrations create beside those of the typed schema: rollups and links written by SQL functions. */
type TableName = keyof Tables | (string & {});

export interface TaskContext {
  db: Db;
  services: Services;
}

/** Actions of audit rows, by the type of their subject. */
type AuditActions = Readonly<Record<string, readonly string[]>>;

/** Everything an area adds to the service; `service/areas/registry.ts` collects it. */
export interface AreaDefinition {
  name: string;
  /** One function for each operation of the area. */
  handlers?: Partial<Handlers>;
  /** Operations with a route of their own, outside of the API surfaces and their error body. */
  ownRoutes?: readonly OperationId[];
  /** Background work that every process runs at its own interval. */
  tasks?: (context: TaskContext) => readonly ScheduledTask[];
  /** Kinds of jobs that the area runs. */
  jobKinds?: readonly JobKind[];
  /** Every table of the area. */
  tables?: Readonly<Partial<Record<TableName, TableDefinition>>>;
  /** Backup sheets of the area's tables, by key. */
  sheets?: Readonly<Record<string, TableSheet>>;
  /** The mails that the area composes itself, with example values. */
  mailExamples?: readonly MailExample[];
  /** Actions that the area writes to the audit log, by subject type. */
  auditActions?: AuditActions;
}

/** Checks an area's definition and keeps the literal types of its parts. */
export const defineArea = <const Definition extends AreaDefinition>(definition: Definition): Definition =>
  definition;

/** The parts of all areas, in the shape in which app, backups and tests use them. */
export interface AreaRegistry {
  areas: readonly AreaDefinition[];
  handlers: Partial<Handlers>;
  ownRoutes: readonly OperationId[];
  sheets: Readonly<Record<string, TableSheet>>;
  tables: Readonly<Record<string, TableDefinition>>;
  auditActions: AuditActions;
  createTasks: (context: TaskContext) => ScheduledTask[];
  jobKinds: JobKinds;
  mailExamples: readonly MailExample[];
}

/**
 * Collects the parts of all areas.
 * @throws Error where two areas declare the same operation, table, sheet or audit action
 */
export function collectAreas(areas: readonly AreaDefinition[]): AreaRegistry {
  const operations = areas.flatMap(({ handlers = {}, ownRoutes = [] }) => [
    ...Object.keys(handlers),
    ...ownRoutes,
  ]);
  assertUnique('operation', operations);
  assertUnique(
    'table',
    areas.flatMap(({ tables = {} }) => Object.keys(tables)),
  );
  assertUnique(
    'backup sheet',
    areas.flatMap(({ sheets = {} }) => Object.keys(sheets)),
  );
  assertUnique(
    'audit action',
    areas.flatMap(({ auditActions = {} }) =>
      Object.entries(auditActions).flatMap(([subject, actions]) =>
        actions.map((action) => `${action} of ${subject}`),
      ),
    ),
  );
  assertUnique(
    'job kind',
    areas.flatMap(({ jobKinds = [] }) => jobKinds.map(({ kind }) => kind)),
  );
  const mailExamples = areas.flatMap(({ mailExamples: examples = [] }) => examples);
  assertUnique(
    'mail example',
    mailExamples.map(({ id }) => id),
  );
  return {
    areas,
    mailExamples,
    handlers: Object.fromEntries(areas.flatMap(({ handlers = {} }) => Object.entries(handlers))),
    ownRoutes: areas.flatMap(({ ownRoutes = [] }) => ownRoutes),
    sheets: Object.fromEntries(areas.flatMap(({ sheets = {} }) => Object.entries(sheets))),
    tables: Object.fromEntries(
      areas.flatMap(({ tables = {} }) =>
        Object.entries(tables).flatMap(([name, table]) => (table ? [[name, table] as const] : [])),
      ),
    ),
    auditActions: collectAuditActions(areas),
    createTasks: (context) => areas.flatMap(({ tasks }) => tasks?.(context) ?? []),
    jobKinds: new Map(
      areas.flatMap(({ jobKinds = [] }) => jobKinds.map((each) => [each.kind, each] as const)),
    ),
  };
}

function collectAuditActions(areas: readonly AreaDefinition[]): AuditActions {
  const actions = areas.flatMap(({ auditActions = {} }) => Object.entries(auditActions));
  return Object.fromEntries(
    [...Map.groupBy(actions, ([subject]) => subject)].map(([subject, lists]) => [
      subject,
      lists.flatMap(([, list]) => list),
    ]),
  );
}

function assertUnique(what: string, values: readonly string[]): void {
  const repeated = values.find((value, at) => values.indexOf(value) !== at);
  if (repeated !== undefined) throw new Error(`Two areas declare the ${what} "${repeated}"`);
}
