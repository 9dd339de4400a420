import type { Capability } from '../../generated/types.gen.ts';

/** All capabilities in display order, with what each allows. */
export const capabilities: readonly { name: Capability; description: string }[] = [
  { name: 'Access Web Service', description: 'Call the service from a program with an API key.' },
  {
    name: 'Access 4. Relationship Intelligence',
    description: 'Post e-mails and meetings and read their sync status.',
  },
  { name: 'Manage Users', description: 'Create, change, invite, deactivate and remove users.' },
  { name: 'Manage Groups', description: 'Create, change and delete groups and choose who belongs to them.' },
  { name: 'Manage Licences', description: 'Change the license of a user.' },
  { name: 'Manage Proxies', description: 'Decide who may act for whom.' },
  { name: 'Manage Existing Users', description: 'Add users of other sites without their confirmation.' },
  { name: 'View Activity', description: 'Read the report of what users did.' },
  { name: 'Manage Backups', description: 'Request, download and delete backups of the site.' },
  { name: 'Read Data', description: 'Read entries, their history and their files.' },
  { name: 'Write Data', description: 'Create, change and merge entries.' },
  { name: 'Delete Data', description: 'Delete entries.' },
  { name: 'Manage Schema', description: 'Change entry types and their fields.' },
  { name: 'Read Publications', description: 'Read change events and acknowledge them.' },
  { name: 'Manage Publications', description: 'Read change events, define topics and move consumers.' },
  { name: 'Run Reports', description: 'Generate and download template reports.' },
  {
    name: 'Manage Report Templates',
    description: 'Add, replace and delete the templates of reports.',
  },
  { name: 'Manage Settings', description: 'Change the settings of the site.' },
  { name: 'Use Agent Server', description: 'Let an AI agent read the data of the site.' },
];

/**
 * Lists the capabilities of `required` that are not in `held`. Users can only grant capabilities that they have: the
 * service rejects others with 403, and the console disables them.
 */
export function findMissingCapabilities(
  held: readonly Capability[],
  required: readonly Capability[],
): Capability[] {
  const heldSet = new Set(held);
  return required.filter((capability) => !heldSet.has(capability));
}
