import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Grid3x3, Hash, Pencil, Trash2, UserPlus, UsersRound } from 'lucide-react';
import { useState } from 'react';
import type { GroupInfoResponse } from '../../../../contract/generated/types.gen.ts';
import { ServiceError } from '../../../api/errors.ts';
import { deleteGroup } from '../../../api/generated/sdk/groups.gen.ts';
import { startGroupRemovals } from '../../../api/generated/sdk/jobs.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import type { StartOptions } from '../../../app/jobs/upload-items.ts';
import { getGroupCapabilities, groupQuery } from '../../../directory/groups.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { copyText } from '../../../ui/button/CopyButton.tsx';
import { confirmIrreversible } from '../../../ui/dialog/confirm-irreversible.tsx';
import type { MenuItemData, MenuItems } from '../../../ui/menu/menu-items.ts';
import { toast } from '../../../ui/toast.ts';
import { getScheduleProblem, NOW, showStartedJob, StartField, toStartOptions } from '../../jobs/index.ts';
import type { Schedule } from '../../jobs/index.ts';
import { EffectsPreview } from '../effects/EffectsPreview.tsx';
import { useEffects } from '../effects/EffectsPreview.tsx';
import { useGrantCheck } from '../model/group-capabilities.ts';
import { toGroupWriteError } from '../model/write-errors.ts';

interface GroupRef {
  id: number;
  name: string;
}

type AfterDeletion = () => Promise<unknown>;
const stayOnPage: AfterDeletion = () => Promise.resolve();

/** The service deletes larger groups by a job. */
const MAX_MEMBERS_AT_ONCE = 1_000;

/** Deletes a group after typing its name, a large one by a job; shows how many users lose which capabilities. */
function useDeleteGroup() {
  const client = useQueryClient();
  const start = useWrite('startGroupRemovals', {
    async mutationFn({
      groupId,
      leave,
      options,
    }: {
      groupId: number;
      leave: AfterDeletion;
      options: StartOptions;
    }) {
      const { data } = await startGroupRemovals({ body: { groupIds: [groupId], ...options } });
      await leave();
      showStartedJob(client, data);
    },
  });
  const removal = useWrite('deleteGroup', {
    async mutationFn({
      groupId,
      etag,
      leave,
    }: {
      groupId: number;
      etag: string | undefined;
      leave: AfterDeletion;
    }) {
      await deleteGroup({ path: { groupId }, ...(etag !== undefined && { headers: { 'If-Match': etag } }) });
      // Leaves the group's page before it would read the deleted group again.
      await leave();
    },
  });
  return async ({ id, name }: GroupRef, leave: AfterDeletion = stayOnPage): Promise<void> => {
    // The ETag of this read guarantees that the shown capabilities are the deleted ones.
    const read = await client.fetchQuery({ ...groupQuery(id), staleTime: 0 }).catch((thrown: unknown) => {
      toast({
        title: `${name} was not deleted`,
        description: toGroupWriteError(thrown).message,
        tone: 'bad',
      });
    });
    if (!read) return;
    const { data, etag } = read;
    const isLarge = data.userCount > MAX_MEMBERS_AT_ONCE;
    let schedule = NOW;
    const isJob = () => isLarge || schedule.kind !== 'now';
    const done = await confirmIrreversible({
      title: `Delete ${name}?`,
      ...getDeletionDetails(getGroupCapabilities(data), data.userCount),
      details: (
        <>
          {data.userCount > 0 && <CapabilityLosses groupId={id} gives={getGroupCapabilities(data)} />}
          <DeletionStart onChange={(next) => (schedule = next)} />
        </>
      ),
      action: 'Delete group',
      expectedText: name,
      async run() {
        const problem = getScheduleProblem(schedule);
        if (problem !== undefined) throw new ServiceError(400, `${problem}.`);
        // A group that is deleted later still has its page.
        const stays = schedule.kind !== 'now';
        await (
          isJob()
            ? start.mutateAsync({
                groupId: id,
                leave: stays ? stayOnPage : leave,
                options: toStartOptions(schedule),
              })
            : removal.mutateAsync({ groupId: id, etag, leave })
        ).catch((thrown: unknown) => {
          throw toGroupWriteError(thrown);
        });
      },
    });
    if (done && !isJob()) toast({ title: `${name} was deleted` });
  };
}

type Capabilities = ReturnType<typeof getGroupCapabilities>;

const NO_CAPABILITIES: Capabilities = [];

/** Confirmation texts for deleting a group. */
const getDeletionDetails = (gives: Capabilities, members: number) => ({
  irreversible:
    'A deleted group cannot be restored: you would have to create a new one with its capabilities and members.',
  breaks:
    gives.length === 0
      ? 'It grants no capabilities, so nobody loses any.'
      : 'Members immediately lose capabilities that only this group grants.',
  affects:
    members === 0
      ? 'It has no members.'
      : `${pluralize(members, 'member leaves', 'members leave')} it and ${members === 1 ? 'stays a user' : 'stay users'} of the site.`,
});

/** Choice of when the group is deleted. */
function DeletionStart({ onChange }: { onChange: (schedule: Schedule) => void }) {
  const [schedule, setSchedule] = useState(NOW);
  return (
    <StartField
      value={schedule}
      hint="The members that the group has by then leave it. The job can be cancelled until it starts."
      onChange={(next) => {
        setSchedule(next);
        onChange(next);
      }}
    />
  );
}

/** Members who lose capabilities. */
function CapabilityLosses({ groupId, gives }: { groupId: number; gives: Capabilities }) {
  const preview = useEffects({ groupId, before: gives, after: NO_CAPABILITIES });
  return (
    <div className="deletion">
      <EffectsPreview {...preview} />
    </div>
  );
}

/** Menu item of the list and the page that deletes a group; in the list the capabilities may not be loaded yet. */
export function useDeleteItem(leave?: () => Promise<unknown>) {
  const { reason } = usePermission('deleteGroup');
  const holds = useGrantCheck();
  const remove = useDeleteGroup();
  return (group: GroupInfoResponse, gives: Parameters<typeof holds>[0]): MenuItemData => ({
    label: 'Delete group',
    icon: Trash2,
    danger: true,
    disabledReason: reason ?? holds(gives),
    onSelect: () => void remove(group, leave),
  });
}

/** Menu of one row of the list. */
export function useGroupMenu(given: ReadonlyMap<number, Parameters<ReturnType<typeof useGrantCheck>>[0]>) {
  const router = useRouter();
  const update = usePermission('updateGroup');
  const assign = usePermission('assignGroups');
  const holds = useGrantCheck();
  const deletion = useDeleteItem();
  return (group: GroupInfoResponse): MenuItems => {
    const params = { groupId: group.id };
    const gives = given.get(group.id);
    return [
      {
        label: 'Open',
        icon: UsersRound,
        onSelect: () => void router.navigate({ to: '/groups/$groupId', params }),
      },
      {
        label: 'Edit',
        icon: Pencil,
        disabledReason: update.reason,
        onSelect: () => void router.navigate({ to: '/groups/edit/$groupId', params, search: (now) => now }),
      },
      {
        label: 'Add people',
        icon: UserPlus,
        disabledReason: assign.reason ?? holds(gives),
        onSelect: () => void router.navigate({ to: '/groups/$groupId/add', params }),
      },
      {
        label: 'Show in the matrix',
        icon: Grid3x3,
        onSelect: () => void router.navigate({ to: '/groups/matrix', search: { columns: group.id } }),
      },
      { label: 'Copy id', icon: Hash, onSelect: () => void copyText(String(group.id)) },
      'line',
      deletion(group, gives),
    ];
  };
}
