import type { ConfigurationChange } from '../../../../contract/generated/types.gen.ts';
import type { ConfigurationKind } from '../../../../contract/rules/configuration.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { formatIdentifier } from '../../../lib/text/sentences.ts';
import { formatUnknownAction, formatValue, getPropertyLabel, isPair } from '../model/change-format.ts';
import type { NameResolver } from '../model/change-format.ts';

export const KIND_LABELS: Readonly<Record<ConfigurationKind, string>> = {
  setting: 'Settings',
  address: 'Approved addresses',
  group: 'Groups',
  key: 'API keys',
  agent: 'Agents',
  topic: 'Topics',
  destination: 'Destinations',
  reportTemplate: 'Report templates',
  schedule: 'Schedules',
  schema: 'Schema',
};

/** Sentences by action; `{name}` stands for the changed thing. */
const SENTENCES: Readonly<Record<string, string>> = {
  'site.create': 'Created the site',
  'site.update': 'Changed the settings of the site',
  'site.identity': 'Changed the identity manager',
  'site.brand': 'Changed logo and color',
  'cli.site-set': 'Changed the site on the host',
  'cli.site-seats': 'Changed the agreed seats on the host',
  'relationships.settings': 'Changed the settings of Relationship Intelligence',
  'relationships.exclude': 'Excluded an address or domain from Relationship Intelligence',
  'relationships.include': 'Removed an exclusion from Relationship Intelligence',
  'site.addresses': 'Changed the approved addresses',
  'group.create': 'Created the group {name}',
  'group.update': 'Changed the group {name}',
  'group.delete': 'Deleted the group {name}',
  'user.api-key-on': 'Created an API key for {name}',
  'user.api-key-off': 'Turned off the API key of {name}',
  'user.api-key-expire': 'The API key of {name} expired',
  'cli.api-key': 'Created an API key for {name} on the host',
  'cli.key-revoke': 'Turned off the API key of {name} on the host',
  'subscriber.limit': 'Changed the topics that the API key {name} may read',
  'agent-key.create': 'Created the agent key {name}',
  'agent-key.pause': 'Paused the agent key {name}',
  'agent-key.resume': 'Resumed the agent key {name}',
  'agent-key.revoke': 'Revoked the agent key {name}',
  'agents.enable': 'Turned on the agent server',
  'agents.disable': 'Turned off the agent server',
  'agents.forbid': 'Forbade agents to read {name}',
  'agents.allow': 'Allowed agents to read {name}',
  'agents.stop': 'Stopped all agents',
  'topic.create': 'Created the topic {name}',
  'topic.update': 'Changed the topic {name}',
  'topic.delete': 'Deleted the topic {name}',
  'consumer.move': 'Moved a subscriber of the topic {name}',
  'destination.create': 'Created the destination {name}',
  'destination.update': 'Changed the destination {name}',
  'destination.delete': 'Deleted the destination {name}',
  'report-template.create': 'Created the report template {name}',
  'report-template.update': 'Changed the report template {name}',
  'report-template.delete': 'Deleted the report template {name}',
  'backup.settings': 'Changed the backup schedule',
  'report-schedule.create': 'Scheduled the report {name}',
  'report-schedule.update': 'Changed a schedule of the report {name}',
  'report-schedule.delete': 'Deleted a schedule of the report {name}',
  'report-schedule.stop': 'Stopped a schedule of the report {name}',
  'entryType.create': 'Created the entry type {name}',
  'entryType.update': 'Changed the entry type {name}',
  'entryType.delete': 'Deleted the entry type {name}',
  'field.create': 'Created the field {name}',
  'field.update': 'Changed the field {name}',
  'field.delete': 'Deleted the field {name}',
};

type Subject = Pick<ConfigurationChange, 'action' | 'subjectType' | 'subjectId' | 'subjectName'>;

/** Sentence for a change, without the full stop. A thing whose name was not recorded is named by its id. */
export function formatConfigurationAction({ action, subjectType, subjectId, subjectName }: Subject): string {
  const name = subjectName ?? (subjectType === 'user' ? `user ${subjectId}` : subjectId);
  return SENTENCES[action]?.replace('{name}', () => name) ?? formatUnknownAction(action);
}

/** A changed property: its values before and after, or what was added to and removed from a list. */
export type ConfigurationValueChange = { property: string } & (
  | { before: string | undefined; after: string }
  | { added: readonly string[]; removed: readonly string[]; unchangedCount: number }
);

/** An element of a list as text: an object by its values, the fields of an entry type by their number. */
const formatItem = (property: string, item: unknown, names: NameResolver): string =>
  typeof item === 'object' && item !== null && !Array.isArray(item)
    ? Object.entries(item)
        .filter(([, value]) => value !== '' && value !== null)
        .map(([key, value]) =>
          key === 'fieldIds' && Array.isArray(value)
            ? pluralize(value.length, 'field', 'fields')
            : formatValue(key, value, names),
        )
        .join(' · ')
    : formatValue(property, item, names);

/** Labels of properties whose names in the service are ids or abbreviations. */
const LABELS: Readonly<Record<string, string>> = {
  userId: 'Person',
  entryTypeId: 'Entry type',
  entryTypeIds: 'Entry types',
  sha256: 'SHA-256',
  hasAgentServer: 'Agent server license',
  expiresInDays: 'Ends after days',
  isDomain: 'Whole domain',
};

const getLabel = (property: string): string =>
  LABELS[property] ?? getPropertyLabel(property) ?? formatIdentifier(property);

/** Formats the changed properties of a change; of a list, only what was added and removed. */
export function formatConfigurationValues(
  changes: Readonly<Record<string, unknown>>,
  names: NameResolver,
): ConfigurationValueChange[] {
  return Object.entries(changes).map(([property, value]) => {
    const label = getLabel(property);
    const [before, after] = isPair(value) ? value : [undefined, value];
    if (Array.isArray(before) || Array.isArray(after)) {
      const toItems = (list: unknown) =>
        (Array.isArray(list) ? list : []).map((item) => formatItem(property, item, names));
      const [old, current] = [toItems(before), toItems(after)];
      const added = current.filter((item) => !old.includes(item));
      const removed = old.filter((item) => !current.includes(item));
      return { property: label, added, removed, unchangedCount: current.length - added.length };
    }
    const isNew = before === null || before === undefined;
    return {
      property: label,
      before: isNew ? undefined : formatValue(property, before, names),
      after: formatValue(property, after, names),
    };
  });
}

/** Longest value that fits at the end of a line. */
const MAX_SHORT_LENGTH = 16;

/** The only changed property with its values before and after; undefined for several, for lists, ids and long values. */
export function findShortChange(
  changes: Readonly<Record<string, unknown>>,
): { property: string; before: string; after: string } | undefined {
  const [only, ...more] = Object.entries(changes);
  if (!only || more.length > 0) return undefined;
  const [property, pair] = only;
  if (/ids?$/i.test(property) || !isPair(pair) || !pair.every(isShort)) return undefined;
  const [before, after] = pair.map((value) => formatValue(property, value, NO_NAMES));
  if (before === undefined || after === undefined) return undefined;
  return { property: getLabel(property), before, after };
}

const isShort = (value: unknown): boolean =>
  typeof value === 'boolean' ||
  typeof value === 'number' ||
  (typeof value === 'string' && value !== '' && value.length <= MAX_SHORT_LENGTH);

/** Lookup for values that are no ids. */
const NO_NAMES: NameResolver = { getGroupName: String, getUserName: String, getTypeName: String };
