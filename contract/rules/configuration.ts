/** Which actions of the audit log change the configuration of a site, and what they change. */

/** Kinds of changes in the configuration log, in display order. */
export const CONFIGURATION_KINDS = [
  'setting',
  'address',
  'group',
  'key',
  'agent',
  'topic',
  'destination',
  'reportTemplate',
  'schedule',
  'schema',
] as const;

export type ConfigurationKind = (typeof CONFIGURATION_KINDS)[number];

/** The actions of each kind. */
export const CONFIGURATION_ACTIONS: Readonly<Record<ConfigurationKind, readonly string[]>> = {
  setting: [
    'site.create',
    'site.update',
    'site.identity',
    'site.brand',
    'cli.site-set',
    'cli.site-seats',
    'relationships.settings',
    'relationships.exclude',
    'relationships.include',
  ],
  address: ['site.addresses'],
  group: ['group.create', 'group.update', 'group.delete'],
  key: [
    'user.api-key-on',
    'user.api-key-off',
    'user.api-key-expire',
    'cli.api-key',
    'cli.key-revoke',
    'subscriber.limit',
  ],
  agent: [
    'agent-key.create',
    'agent-key.pause',
    'agent-key.resume',
    'agent-key.revoke',
    'agents.enable',
    'agents.disable',
    'agents.forbid',
    'agents.allow',
    'agents.stop',
  ],
  topic: ['topic.create', 'topic.update', 'topic.delete', 'consumer.move'],
  destination: ['destination.create', 'destination.update', 'destination.delete'],
  reportTemplate: ['report-template.create', 'report-template.update', 'report-template.delete'],
  schedule: [
    'backup.settings',
    'report-schedule.create',
    'report-schedule.update',
    'report-schedule.delete',
    'report-schedule.stop',
  ],
  schema: [
    'entryType.create',
    'entryType.update',
    'entryType.delete',
    'field.create',
    'field.update',
    'field.delete',
  ],
};

const KIND_BY_ACTION = new Map<string, ConfigurationKind>(
  CONFIGURATION_KINDS.flatMap((kind) => CONFIGURATION_ACTIONS[kind].map((action) => [action, kind] as const)),
);

/**
 * The kind of configuration that an audit row changes; undefined for a row that changes none. `group.delete` is also the action of
 * the rows of the former members, which are changes of users.
 */
export const getConfigurationKind = (subjectType: string, action: string): ConfigurationKind | undefined =>
  subjectType === 'user' && action.startsWith('group.') ? undefined : KIND_BY_ACTION.get(action);
