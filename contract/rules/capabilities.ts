import type { Capability } from '../generated/types.gen.ts';

/** All capabilities in the order in which they are shown, with what each lets a user do. */
export const capabilities: readonly { name: Capability; sentence: string }[] = [
  { name: 'Access Web Service', sentence: 'Call the service from a program with an API key.' },
  {
    name: 'Access 4. Relationship Intelligence',
    sentence: 'Post e-mails and meetings and read their sync status.',
  },
  { name: 'Manage Users', sentence: 'Create, change, invite, deactivate and remove users.' },
  { name: 'Manage Groups', sentence: 'Create, change and delete groups and choose who belongs to them.' },
  { name: 'Manage Licences', sentence: 'Change the license of a user.' },
  { name: 'Manage Proxies', sentence: 'Decide who may act for whom.' },
  { name: 'Manage Existing Users', sentence: 'Add users of other sites without their confirmation.' },
  { name: 'View Activity', sentence: 'Read the report of what users did.' },
  { name: 'Manage Backups', sentence: 'Request, download and delete backups of the site.' },
  { name: 'Read Data', sentence: 'Read entries, their history and their files.' },
  { name: 'Write Data', sentence: 'Create, change and merge entries.' },
  { name: 'Delete Data', sentence: 'Delete entries.' },
  { name: 'Manage Schema', sentence: 'Change entry types and their fields.' },
  { name: 'Manage Publications', sentence: 'Read change events and define topics.' },
  { name: 'Run Reports', sentence: 'Generate and download template reports.' },
  { name: 'Manage Settings', sentence: 'Change the settings of the site.' },
  { name: 'Use Agent Server', sentence: 'Let an AI agent read the data of the site.' },
];

/**
 * Those of `wanted` that are not held. Nobody can grant what they do not hold, so anything in the answer is
 * a 403 in the service and a disabled choice in the console.
 */
export function capabilitiesNotHeld(
  held: readonly Capability[],
  wanted: readonly Capability[],
): Capability[] {
  const own = new Set(held);
  return wanted.filter((capability) => !own.has(capability));
}
