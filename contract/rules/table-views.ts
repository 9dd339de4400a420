import type { Capability, TableName } from '../generated/types.gen.ts';

const DIRECTORY_READERS: readonly Capability[] = [
  'Manage Users',
  'Manage Groups',
  'Manage Licences',
  'Manage Proxies',
  'View Activity',
];

/** Capabilities of which one lets a person read the rows of a table, and one share views of it. */
export const TABLE_VIEW_CAPABILITIES: Readonly<
  Record<TableName, { read: readonly Capability[]; share: readonly Capability[] }>
> = {
  users: { read: DIRECTORY_READERS, share: ['Manage Users'] },
  licenses: { read: DIRECTORY_READERS, share: ['Manage Licences'] },
  activity: { read: ['View Activity'], share: ['View Activity'] },
  changes: { read: ['Read Data'], share: ['Write Data', 'Manage Schema'] },
};
