import { capabilities } from '../../../contract/rules/capabilities.ts';
import { ADMINISTRATORS } from '../../areas/members/index.ts';
import type { Capability } from '../../../contract/generated/types.gen.ts';

export interface SampleGroup {
  name: string;
  description: string;
  capabilities: readonly Capability[];
  /** Share of the staff whose department this is; 0: people join it beside their department. */
  share: number;
  /** Chances of the license types 1 to 4 (spec 2.2) among its members. */
  licenses: readonly [number, number, number, number];
}

export const STEWARDS = 'Stewards';
export const INTEGRATIONS = 'Integrations';
export const PARTNERS = 'Partners';
export const BACKUP_OPERATORS = 'Backup operators';

const READ: Capability[] = ['Read Data', 'Run Reports'];
const WORK: Capability[] = [...READ, 'Write Data'];

/** The groups of the sample site: departments first, then those that people join beside theirs. */
export const SAMPLE_GROUPS: readonly SampleGroup[] = [
  {
    name: 'Deal team',
    description: 'Origination and execution',
    capabilities: WORK,
    share: 24,
    licenses: [92, 5, 0, 3],
  },
  {
    name: 'Research',
    description: 'Sector and company research',
    capabilities: WORK,
    share: 14,
    licenses: [80, 15, 2, 3],
  },
  {
    name: 'Investor relations',
    description: 'Fundraising and reporting to investors',
    capabilities: WORK,
    share: 10,
    licenses: [84, 12, 0, 4],
  },
  {
    name: 'Finance',
    description: 'Fund accounting, treasury and tax',
    capabilities: READ,
    share: 11,
    licenses: [45, 48, 2, 5],
  },
  {
    name: 'Operations',
    description: 'Middle office and facilities',
    capabilities: READ,
    share: 12,
    licenses: [30, 55, 5, 10],
  },
  {
    name: 'Engineering',
    description: 'Internal software and data',
    capabilities: ['Access Web Service', 'Manage Schema', ...WORK],
    share: 9,
    licenses: [40, 40, 15, 5],
  },
  {
    name: 'Marketing',
    description: 'Brand, events and website',
    capabilities: READ,
    share: 7,
    licenses: [25, 60, 5, 10],
  },
  {
    name: 'Support',
    description: 'Help desk for everybody at the firm',
    capabilities: ['Manage Users', 'View Activity', 'Read Data'],
    share: 5,
    licenses: [35, 60, 5, 0],
  },
  {
    name: PARTNERS,
    description: 'Advisers and contractors outside the firm',
    capabilities: ['Read Data'],
    share: 6,
    licenses: [0, 25, 55, 20],
  },
  {
    name: INTEGRATIONS,
    description: 'Accounts of programs, not of people',
    capabilities: [
      'Access Web Service',
      'Access 4. Relationship Intelligence',
      'Read Data',
      'Write Data',
      'Manage Publications',
    ],
    share: 2,
    licenses: [0, 0, 100, 0],
  },
  {
    name: ADMINISTRATORS,
    description: 'Everything on this site',
    capabilities: capabilities.map(({ name }) => name),
    share: 0,
    licenses: [100, 0, 0, 0],
  },
  {
    name: STEWARDS,
    description: 'Keep the data clean and people’s access right',
    capabilities: [
      'Manage Users',
      'Manage Groups',
      'Manage Licences',
      'Manage Proxies',
      'View Activity',
      ...WORK,
      'Delete Data',
    ],
    share: 0,
    licenses: [100, 0, 0, 0],
  },
  {
    name: 'Proxy administrators',
    description: 'Decide who acts for whom',
    capabilities: ['Manage Proxies', 'View Activity'],
    share: 0,
    licenses: [100, 0, 0, 0],
  },
  {
    name: BACKUP_OPERATORS,
    description: 'Request and fetch the weekly backup',
    capabilities: ['Manage Backups'],
    share: 0,
    licenses: [100, 0, 0, 0],
  },
  {
    name: 'Agent pilot',
    description: 'Try the agent server',
    capabilities: ['Use Agent Server', 'Read Data'],
    share: 0,
    licenses: [100, 0, 0, 0],
  },
];
