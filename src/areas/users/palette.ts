import {
  Activity,
  BadgeCheck,
  Clock,
  KeyRound,
  ListChecks,
  LogOut,
  MapPin,
  Pencil,
  ShieldCheck,
  ShieldQuestionMark,
  ShieldX,
  Upload,
  UserCheck,
  UserMinus,
  UserRoundCog,
  UserRoundMinus,
  UserRoundPlus,
  UserX,
  UsersRound,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { listOwnPrincipalsOptions } from '../../api/generated/queries/proxies.gen.ts';
import { openWorkAsDialog } from '../../app/acting/acting.ts';
import type {
  PaletteContext,
  PaletteContribution,
  PaletteItem,
  PaletteResults,
  TargetCommand,
} from '../../app/state/palette.ts';
import { requestAction } from '../../app/state/requested-action.ts';
import type { DirectoryRow } from '../../directory/engine/row.ts';
import { pluralize } from '../../lib/numbers.ts';
import { rankByLabel } from '../../lib/text/rank.ts';
import { chooseBulk, openBulk } from '../bulk/index.ts';
import { pendingSelection } from './model/pending-selection.ts';

const MAX_PEOPLE = 8;
const MAX_TARGETS = 5;
/** People listed of a pasted text; all of them can be selected. */
const MAX_PASTED = 20;

// The directory runs in a worker that is started with the first search.
const loadDirectory = () => import('../../directory/directory.ts');

function getStateBadge({ isActive, isLocked }: DirectoryRow): PaletteItem['badge'] {
  if (!isActive) return { text: 'Inactive', tone: 'neutral' };
  return isLocked ? { text: 'Locked', tone: 'warn' } : undefined;
}

const toItem = (row: DirectoryRow, label: string, run: () => void, icon?: LucideIcon): PaletteItem => ({
  id: String(row.id),
  label,
  hint: row.email,
  personId: row.id,
  badge: getStateBadge(row),
  icon,
  run,
});

interface PersonCommand extends Omit<TargetCommand, 'find'> {
  /** The command in the words of one person. */
  format: (name: string) => string;
  /** Whether the command would change anything; people for whom it would not are left out. */
  applies?: (row: DirectoryRow) => boolean;
  run: (row: DirectoryRow, context: PaletteContext) => void;
}

const openPage =
  (to: '/users/$userId' | '/users/$userId/activity', search: { edit?: true } = {}, hash = '') =>
  ({ id: userId }: DirectoryRow, { navigate }: PaletteContext) =>
    void navigate({ to, params: { userId }, search, hash });

/** Opens the dialog of the action on the page of the person. */
const requestOnPage =
  (name: 'sendPasswordLink' | 'resetSecondFactor' | 'endSessions'): PersonCommand['run'] =>
  ({ id }, { navigate }) =>
    void requestAction({ name, id }, () => navigate({ to: '/users/$userId', params: { userId: id } }));

/** Commands for one person. Changes open the dialog in which the users list changes a selection. */
const PERSON_COMMANDS: readonly PersonCommand[] = [
  {
    phrases: ['deactivate'],
    label: 'Deactivate a user',
    format: (name) => `Deactivate ${name}`,
    icon: UserX,
    needs: 'updateUser',
    applies: ({ isActive }) => isActive,
    run: ({ id }) => openBulk({ action: { kind: 'deactivate' }, userIds: [id] }),
  },
  {
    phrases: ['activate', 'reactivate'],
    label: 'Activate a user',
    format: (name) => `Activate ${name}`,
    icon: UserCheck,
    needs: 'updateUser',
    applies: ({ isActive }) => !isActive,
    run: ({ id }) => openBulk({ action: { kind: 'activate' }, userIds: [id] }),
  },
  {
    phrases: ['change license of', 'license of', 'license'],
    label: 'Change the license of a user',
    format: (name) => `Change the license of ${name}`,
    icon: BadgeCheck,
    needs: 'updateUserLicense',
    run: ({ id }) => chooseBulk({ kind: 'license', userIds: [id] }),
  },
  {
    phrases: ['add to groups', 'add to group'],
    label: 'Add a user to groups',
    format: (name) => `Add ${name} to groups`,
    icon: UsersRound,
    needs: 'assignGroups',
    run: ({ id }) => chooseBulk({ kind: 'addGroups', userIds: [id] }),
  },
  {
    phrases: ['remove from groups', 'remove from group'],
    label: 'Remove a user from groups',
    format: (name) => `Remove ${name} from groups`,
    icon: UsersRound,
    needs: 'unassignGroups',
    run: ({ id }) => chooseBulk({ kind: 'removeGroups', userIds: [id] }),
  },
  {
    phrases: ['require second factor of', 'require second factor', '2fa'],
    label: 'Require the second factor of a user',
    format: (name) => `Require the second factor of ${name}`,
    icon: ShieldCheck,
    needs: 'updateUser',
    applies: ({ twoFactor }) => !twoFactor,
    run: ({ id }) => openBulk({ action: { kind: 'twoFactorOn' }, userIds: [id] }),
  },
  {
    phrases: ['restrict addresses of', 'restrict to approved addresses', 'restrict'],
    label: 'Restrict a user to approved addresses',
    format: (name) => `Restrict ${name} to approved addresses`,
    icon: MapPin,
    needs: 'updateUser',
    applies: ({ approvedAddresses }) => !approvedAddresses,
    run: ({ id }) => openBulk({ action: { kind: 'addressesOn' }, userIds: [id] }),
  },
  {
    phrases: ['change time zone of', 'time zone of', 'time zone'],
    label: 'Change the time zone of a user',
    format: (name) => `Change the time zone of ${name}`,
    icon: Clock,
    needs: 'updateUser',
    run: ({ id }) => chooseBulk({ kind: 'timeZone', userIds: [id] }),
  },
  {
    phrases: ['remove from site', 'remove'],
    label: 'Remove a user from the site',
    format: (name) => `Remove ${name} from the site`,
    icon: UserMinus,
    needs: 'removeUser',
    run: ({ id }) => openBulk({ action: { kind: 'remove' }, userIds: [id] }),
  },
  {
    phrases: ['send password link to', 'send password link', 'password link'],
    label: 'Send a user a link to set a password',
    format: (name) => `Send a password link to ${name}`,
    icon: KeyRound,
    needs: 'sendPasswordLink',
    run: requestOnPage('sendPasswordLink'),
  },
  {
    phrases: ['reset second factor of', 'reset second factor'],
    label: 'Reset the second factor of a user',
    format: (name) => `Reset the second factor of ${name}`,
    icon: ShieldX,
    needs: 'resetTwoFactor',
    run: requestOnPage('resetSecondFactor'),
  },
  {
    phrases: ['end sessions of', 'end sessions'],
    label: 'End the sessions of a user',
    format: (name) => `End the sessions of ${name}`,
    icon: LogOut,
    needs: 'endUserSessions',
    run: requestOnPage('endSessions'),
  },
  {
    phrases: ['assign proxy', 'assign as proxy'],
    label: 'Assign a user as a proxy',
    format: (name) => `Assign ${name} as a proxy`,
    icon: UserRoundPlus,
    needs: 'updateProxies',
    run: ({ id: delegate }, { navigate }) => void navigate({ to: '/proxies/assign', search: { delegate } }),
  },
  {
    phrases: ['remove proxy', 'remove as proxy', 'remove assignments of'],
    label: 'Remove a user as a proxy',
    format: (name) => `Remove ${name} as a proxy`,
    icon: UserRoundMinus,
    needs: 'changeProxies',
    run: ({ id: userId }, { navigate }) => void navigate({ to: '/proxies/$userId', params: { userId } }),
  },
  {
    phrases: ['edit'],
    label: 'Edit a user',
    format: (name) => `Edit ${name}`,
    icon: Pencil,
    needs: 'updateUser',
    run: openPage('/users/$userId', { edit: true }),
  },
  {
    phrases: ['activity of', 'activity'],
    label: 'Show the activity of a user',
    format: (name) => `Activity of ${name}`,
    icon: Activity,
    needs: 'queryUserActivity',
    run: openPage('/users/$userId/activity'),
  },
  {
    phrases: ["why can't", 'why'],
    label: "Explain why a user can't do something",
    format: (name) => `Why can't ${name}…`,
    icon: ShieldQuestionMark,
    needs: 'explainAccess',
    run: openPage('/users/$userId', {}, 'access'),
  },
];

const toTargetCommand = ({ format, applies, run, ...command }: PersonCommand): TargetCommand => ({
  ...command,
  async find(target, context) {
    const { findPeople } = await loadDirectory();
    const people = await findPeople(target, 2 * MAX_TARGETS);
    return people
      .filter((row) => applies?.(row) ?? true)
      .slice(0, MAX_TARGETS)
      .map((row) => toItem(row, format(row.name), () => run(row, context), command.icon));
  },
});

/** Starts to act for a user who assigned the current user as a proxy (spec 2.3). */
const WORK_AS: TargetCommand = {
  phrases: ['work as', 'act for'],
  label: 'Work as a user',
  icon: UserRoundCog,
  needs: 'listOwnPrincipals',
  async find(target, { client, session }) {
    // Acting cannot be chained.
    if (session.acting) return [];
    const principals = await client.ensureQueryData(listOwnPrincipalsOptions());
    const items = principals.map(({ id, fullName, email }) => ({
      id: String(id),
      label: `Work as ${fullName}`,
      hint: email,
      personId: id,
      icon: UserRoundCog,
      run: () => openWorkAsDialog(id),
    }));
    return rankByLabel(items, target).slice(0, MAX_TARGETS);
  },
};

async function findPastedPeople(text: string, { navigate }: PaletteContext): Promise<PaletteResults> {
  const { readDirectoryRows, resolvePastedText } = await loadDirectory();
  const { matched, ambiguous } = await resolvePastedText(text);
  const matchedIds = [...new Set(matched.flatMap(({ ids }) => ids))];
  const open = ({ id: userId }: DirectoryRow) => void navigate({ to: '/users/$userId', params: { userId } });
  const rows = await readDirectoryRows(matchedIds.slice(0, MAX_PASTED));
  const candidates = await Promise.all(
    ambiguous.slice(0, MAX_PASTED).map(async ({ entry, ids }) =>
      (await readDirectoryRows(ids.slice(0, MAX_TARGETS))).map((row): PaletteItem => ({
        ...toItem(row, row.name, () => open(row)),
        badge: { text: `One of ${ids.length} for “${entry}”`, tone: 'warn' },
      })),
    ),
  );
  const select: PaletteItem = {
    label: `Select ${pluralize(matchedIds.length, 'person', 'people')} in Users`,
    hint: 'To change them together',
    icon: ListChecks,
    run() {
      pendingSelection.set(new Set(matchedIds));
      void navigate({ to: '/users' });
    },
  };
  return {
    items: [
      ...(matchedIds.length > 0 ? [select] : []),
      ...rows.map((row) => toItem(row, row.name, () => open(row))),
      ...candidates.flat(),
    ],
    total: matchedIds.length,
  };
}

const palette: PaletteContribution = {
  pasteSources: [{ name: 'People', needs: 'searchUsers', find: findPastedPeople }],
  pages: [{ label: 'Import users', hint: 'Users', icon: Upload, href: '/users/import', needs: 'createUser' }],
  commands: [...PERSON_COMMANDS.map(toTargetCommand), WORK_AS],
  sources: [
    {
      name: 'People',
      needs: 'searchUsers',
      async find(typed, { navigate }) {
        const { countPeople, findPeople } = await loadDirectory();
        const [people, total] = await Promise.all([findPeople(typed, MAX_PEOPLE), countPeople(typed)]);
        return {
          items: people.map((row) =>
            toItem(row, row.name, () => void navigate({ to: '/users/$userId', params: { userId: row.id } })),
          ),
          total,
        };
      },
    },
  ],
};

export default palette;
