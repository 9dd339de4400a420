import type { Capability, TableName } from '../generated/types.gen.ts';

const DIRECTORY_READERS: readonly Capability[] = [
  'Manage Users',
  'Manage Groups',
  'Manage Licences',
  'Manage Proxies',
  'View Activity',
];
const SETTINGS: readonly Capability[] = ['Manage Settings'];
const RELATIONSHIPS: readonly Capability[] = ['Access 4. Relationship Intelligence'];
const REPORT_READERS: readonly Capability[] = ['Run Reports', 'Manage Report Templates'];
const REPORT_TEMPLATES: readonly Capability[] = ['Manage Report Templates'];

/** Readers of lists that have no capability of their own, such as jobs: everyone who can open a list at all. */
const EVERYONE: readonly Capability[] = [
  ...DIRECTORY_READERS,
  ...SETTINGS,
  ...RELATIONSHIPS,
  ...REPORT_READERS,
  'Read Data',
  'Write Data',
  'Manage Schema',
  'Manage Backups',
  'Read Publications',
  'Manage Publications',
  'Use Agent Server',
];

/** Capabilities of which one lets a person read the rows of a table, and one share views of it. */
export const TABLE_VIEW_CAPABILITIES: Readonly<
  Record<TableName, { read: readonly Capability[]; share: readonly Capability[] }>
> = {
  users: { read: DIRECTORY_READERS, share: ['Manage Users'] },
  licenses: { read: DIRECTORY_READERS, share: ['Manage Licences'] },
  unusedLicenses: { read: DIRECTORY_READERS, share: ['Manage Licences'] },
  groups: { read: DIRECTORY_READERS, share: ['Manage Groups'] },
  members: { read: DIRECTORY_READERS, share: ['Manage Groups'] },
  proxies: { read: ['Manage Proxies'], share: ['Manage Proxies'] },
  actingReports: { read: ['Manage Proxies', 'View Activity'], share: ['Manage Proxies'] },
  invitations: { read: ['Manage Users'], share: ['Manage Users'] },
  activity: { read: ['View Activity'], share: ['View Activity'] },
  investigations: { read: ['View Activity'], share: ['View Activity'] },
  changes: { read: ['Read Data'], share: ['Write Data', 'Manage Schema'] },
  entryTypes: { read: ['Read Data', 'Manage Schema', ...REPORT_READERS], share: ['Manage Schema'] },
  jobs: { read: EVERYONE, share: SETTINGS },
  exports: { read: EVERYONE, share: SETTINGS },
  sites: { read: EVERYONE, share: SETTINGS },
  backups: { read: ['Manage Backups'], share: ['Manage Backups'] },
  consumers: { read: ['Read Publications', 'Manage Publications'], share: ['Manage Publications'] },
  destinations: { read: ['Manage Publications'], share: ['Manage Publications'] },
  reportTemplates: { read: REPORT_READERS, share: REPORT_TEMPLATES },
  reportSchedules: { read: REPORT_READERS, share: REPORT_TEMPLATES },
  reportRuns: { read: REPORT_READERS, share: REPORT_TEMPLATES },
  agentKeys: { read: ['Use Agent Server', ...SETTINGS], share: SETTINGS },
  agentCalls: { read: ['Use Agent Server', ...SETTINGS], share: SETTINGS },
  relationships: { read: RELATIONSHIPS, share: SETTINGS },
  relationshipUsers: { read: SETTINGS, share: SETTINGS },
  importRuns: { read: RELATIONSHIPS, share: SETTINGS },
};

/** Operations on saved views of lists. Any capability that opens a list allows them: alone they make no scope of API keys usable. */
export const TABLE_VIEW_OPERATIONS: ReadonlySet<string> = new Set([
  'listTableViews',
  'createTableView',
  'setDefaultTableView',
  'updateTableView',
  'deleteTableView',
]);
