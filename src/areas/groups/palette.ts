import { Grid3x3, Pencil, Scale, Trash2, UserPlus, UsersRound } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type { GroupInfoResponse } from '../../../contract/generated/types.gen.ts';
import { foldText } from '../../../contract/rules/fold-text.ts';
import type {
  PaletteContext,
  PaletteContribution,
  PaletteItem,
  TargetCommand,
} from '../../app/state/palette.ts';
import { requestAction } from '../../app/state/requested-action.ts';
import { groupsQuery } from '../../directory/groups.ts';
import { readPastedTokens } from '../../lib/text/pasted-tokens.ts';
import { rankByLabel } from '../../lib/text/rank.ts';

const MAX_GROUPS = 6;
const GROUP_ID = /^(?:group[\s:#]*)?([1-9]\d{0,9})$/i;

async function findGroups(typed: string, client: PaletteContext['client']) {
  const groups = (await client.ensureQueryData(groupsQuery)).map((group) => ({
    ...group,
    label: group.name,
  }));
  const id = Number(GROUP_ID.exec(typed)?.[1]);
  const found = rankByLabel(groups, typed);
  const named = groups.filter((group) => group.id === id && !found.includes(group));
  return [...named, ...found];
}

const toItem = (
  { id, name, description }: GroupInfoResponse,
  navigate: PaletteContext['navigate'],
): PaletteItem => ({
  id: String(id),
  label: name,
  hint: description ?? undefined,
  icon: UsersRound,
  run: () => void navigate({ to: '/groups/$groupId', params: { groupId: id } }),
});

const toCommand = (
  command: Pick<TargetCommand, 'phrases' | 'label' | 'needs'> & { icon: LucideIcon },
  to: '/groups/$groupId/add' | '/groups/$groupId/edit',
  format: (name: string) => string,
): TargetCommand => ({
  ...command,
  async find(target, { client, navigate }) {
    const groups = await findGroups(target, client);
    return groups.slice(0, MAX_GROUPS).map(({ id, name }) => ({
      id: String(id),
      label: format(name),
      icon: command.icon,
      run: () => void navigate({ to, params: { groupId: id } }),
    }));
  },
});

const palette: PaletteContribution = {
  pages: [
    {
      label: 'Matrix of users and groups',
      hint: 'Groups',
      icon: Grid3x3,
      href: '/groups/matrix',
      needs: 'listGroups',
    },
    { label: 'Compare users', hint: 'Groups', icon: Scale, href: '/groups/compare', needs: 'listGroups' },
    { label: 'New group', hint: 'Groups', icon: UsersRound, href: '/groups/new', needs: 'createGroup' },
  ],
  commands: [
    toCommand(
      {
        phrases: ['add people to', 'add people'],
        label: 'Add people to a group',
        icon: UserPlus,
        needs: 'assignGroups',
      },
      '/groups/$groupId/add',
      (name) => `Add people to ${name}`,
    ),
    toCommand(
      { phrases: ['edit group', 'edit'], label: 'Edit a group', icon: Pencil, needs: 'updateGroup' },
      '/groups/$groupId/edit',
      (name) => `Edit the group ${name}`,
    ),
    {
      phrases: ['delete group', 'delete'],
      label: 'Delete a group',
      icon: Trash2,
      needs: 'deleteGroup',
      async find(target, { client, navigate }) {
        const groups = await findGroups(target, client);
        return groups.slice(0, MAX_GROUPS).map(({ id, name }) => ({
          id: String(id),
          label: `Delete the group ${name}`,
          icon: Trash2,
          run: () =>
            void requestAction({ name: 'deleteGroup', id }, () =>
              navigate({ to: '/groups/$groupId', params: { groupId: id } }),
            ),
        }));
      },
    },
  ],
  pasteSources: [
    {
      name: 'Groups',
      needs: 'listGroups',
      async find(text, { client, navigate }) {
        const cells = new Set(readPastedTokens(text).cells.map(foldText));
        const groups = await client.ensureQueryData(groupsQuery);
        const found = groups.filter(({ name }) => cells.has(foldText(name)));
        return {
          items: found.slice(0, MAX_GROUPS).map((group) => toItem(group, navigate)),
          total: found.length,
        };
      },
    },
  ],
  sources: [
    {
      name: 'Groups',
      needs: 'listGroups',
      async find(typed, { client, navigate }) {
        const groups = await findGroups(typed, client);
        return {
          items: groups.slice(0, MAX_GROUPS).map((group) => toItem(group, navigate)),
          total: groups.length,
        };
      },
    },
  ],
};

export default palette;
