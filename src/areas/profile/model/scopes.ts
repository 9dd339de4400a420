import type { Capability, Scope } from '../../../../contract/generated/types.gen.ts';

interface ScopeDescription {
  scope: Scope;
  label: string;
  sentence: string;
  /** Capabilities of which one is required to use the scope (contract, x-scope and x-capability). */
  anyOf: readonly Capability[];
}

/** Scopes of an API key (shapes 1). */
export const SCOPES: readonly ScopeDescription[] = [
  {
    scope: 'user_management',
    label: 'User management',
    sentence: 'Users, licenses, groups, proxies, activity and settings.',
    anyOf: [
      'Manage Users',
      'Manage Groups',
      'Manage Licences',
      'Manage Proxies',
      'Manage Existing Users',
      'View Activity',
      'Manage Settings',
    ],
  },
  {
    scope: 'data',
    label: 'Data',
    sentence: 'Entries, their history and files, the schema, reports and the ledger of agents.',
    anyOf: [
      'Read Data',
      'Write Data',
      'Delete Data',
      'Manage Schema',
      'Run Reports',
      'Manage Report Templates',
      'Use Agent Server',
      'Manage Settings',
    ],
  },
  {
    scope: 'backup',
    label: 'Backups',
    sentence: 'Request, download and delete backups of the site.',
    anyOf: ['Manage Backups'],
  },
  {
    scope: 'publish',
    label: 'Publications',
    sentence: 'Read change events and define topics.',
    anyOf: ['Read Publications', 'Manage Publications'],
  },
  {
    scope: 'ri_import',
    label: 'Relationship Intelligence import',
    sentence: 'Post e-mails and meetings, read their sync status, and change the settings of imports.',
    anyOf: ['Access 4. Relationship Intelligence', 'Manage Settings'],
  },
];

/** Labels of scopes, separated by commas. */
export const formatScopes = (scopes: readonly Scope[]): string =>
  SCOPES.filter(({ scope }) => scopes.includes(scope))
    .map(({ label }) => label)
    .join(', ');
