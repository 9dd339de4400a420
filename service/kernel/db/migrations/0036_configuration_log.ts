import { type Kysely, sql } from 'kysely';

/** The kind of each action that a site may have logged before the column existed. */
const KINDS: readonly (readonly [kind: string, actions: readonly string[]])[] = [
  ['setting', ['site.create', 'site.update', 'site.identity', 'cli.site-set', 'relationships.settings']],
  ['address', ['site.addresses']],
  ['group', ['group.create', 'group.update', 'group.delete']],
  ['key', ['user.api-key-on', 'user.api-key-off', 'user.api-key-expire', 'cli.api-key', 'subscriber.limit']],
  ['agent', ['agent-key.create', 'agent-key.revoke', 'agents.enable', 'agents.disable', 'agents.stop']],
  ['topic', ['topic.create', 'topic.update', 'topic.delete', 'consumer.move']],
  ['destination', ['destination.create', 'destination.update', 'destination.delete']],
  ['reportTemplate', ['report-template.create', 'report-template.update', 'report-template.delete']],
  ['schedule', ['backup.settings']],
  [
    'schema',
    [
      'entryType.create',
      'entryType.update',
      'entryType.delete',
      'field.create',
      'field.update',
      'field.delete',
    ],
  ],
];
const pairs = KINDS.flatMap(([kind, actions]) => actions.map((action) => `('${action}', '${kind}')`));

const statements = [
  // What kind of configuration a row changes (contract/rules/configuration.ts), and what the changed thing was called then.
  'alter table audit_log add column configuration_kind text, add column subject_name text',
  `update audit_log set configuration_kind = k.kind from (values ${pairs.join(', ')}) as k (action, kind)
    where k.action = audit_log.action and not (subject_type = 'user' and k.kind = 'group')`,
  `create index audit_log_configuration on audit_log (site_id, at desc, audit_id desc)
    where configuration_kind is not null`,
];

/** The configuration log (areas/activity). */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
