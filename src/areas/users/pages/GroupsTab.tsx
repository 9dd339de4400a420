import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Users, UsersRound } from 'lucide-react';
import { useForm, useWatch } from 'react-hook-form';
import type {
  Capability,
  GroupInfoResponse,
  UsersToUserGroupRequestVm,
} from '../../../../contract/generated/types.gen.ts';
import { unassignGroupsMutation, assignGroupsMutation } from '../../../api/generated/queries/groups.gen.ts';
import { zUsersToUserGroupRequestVm } from '../../../api/generated/zod.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toastUndoable } from '../../../app/state/undo.ts';
import { groupsQuery, sortCapabilities } from '../../../directory/groups.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { MultiSelectField } from '../../../ui/form/select/MultiSelectField.tsx';
import { Card, CardRow } from '../../../ui/layout/Card.tsx';
import {
  CapabilityList,
  formatCapabilities,
  useGroupCapabilities,
  useGrantCheck,
  useGroupOptions,
} from '../../groups/index.ts';
import { readVersion } from '../model/actions.ts';
import { formatFullName } from '../model/user-query.ts';
import { useUserWriteError } from '../model/write-errors.ts';
import { useUser } from './use-user.ts';

const listFormat = new Intl.ListFormat('en');

/** Groups of the user with their capabilities. Groups are added and removed one by one, the list is never replaced. */
export function GroupsTab() {
  const user = useUser();
  const groups = useQuery(groupsQuery).data ?? [];
  const ownGroups = user.groups.map(
    (id) => groups.find((group) => group.id === id) ?? { id, name: `Group ${id}`, userCount: 0 },
  );
  const capabilitiesByGroup = useGroupCapabilities(user.groups);
  const allCapabilities = sortCapabilities([...capabilitiesByGroup.values()].flat());
  const getSources = (capability: Capability) =>
    ownGroups.filter(({ id }) => capabilitiesByGroup.get(id)?.includes(capability)).map(({ name }) => name);
  return (
    <div className="user-cols">
      <div className="user-main">
        <Card title={`Groups of ${formatFullName(user)}`}>
          {ownGroups.map((group) => (
            <GroupRow key={group.id} group={group} />
          ))}
          {ownGroups.length === 0 && (
            <EmptyState icon={UsersRound} title="No groups">
              Groups grant capabilities. Without one, {user.firstName} can sign in but do nothing here.
            </EmptyState>
          )}
        </Card>
        <AddGroups groups={groups.filter(({ id }) => !user.groups.includes(id))} />
      </div>
      <div className="user-side">
        <Card title="Capabilities from all groups">
          {allCapabilities.length === 0 ? (
            <div className="card-body user-quiet">No capabilities.</div>
          ) : (
            <CapabilityList
              items={allCapabilities.map((capability) => ({
                name: capability,
                note: `from ${listFormat.format(getSources(capability))}`,
              }))}
            />
          )}
        </Card>
        <Link to="/groups/compare" search={{ a: user.id }} className={buttonClass()}>
          <Users />
          Compare with another user
        </Link>
      </div>
    </div>
  );
}

function GroupRow({ group }: { group: Pick<GroupInfoResponse, 'id' | 'name' | 'description'> }) {
  const user = useUser();
  const { reason } = usePermission('unassignGroups');
  const remove = useWrite('unassignGroups', unassignGroupsMutation());
  const add = useWrite('assignGroups', assignGroupsMutation());
  const capabilities = useGroupCapabilities([group.id]).get(group.id);
  const holds = useGrantCheck();
  const names = capabilities && formatCapabilities(capabilities);
  const confirmRemoval = async () => {
    const done = await confirm({
      title: `Remove ${formatFullName(user)} from ${group.name}?`,
      body: names
        ? `They lose these capabilities unless another group grants them: ${names}. Other groups stay unchanged.`
        : 'The group grants no capabilities. Other groups stay unchanged.',
      action: 'Remove from group',
      danger: true,
      run: () => remove.mutateAsync({ body: [{ userIds: [user.id], groupIds: [group.id] }] }),
    });
    if (done)
      toastUndoable({
        title: `${formatFullName(user)} is no longer in ${group.name}`,
        subject: formatFullName(user),
        undone: `${formatFullName(user)} is in ${group.name} again`,
        readVersion: () => readVersion(user.id),
        revert: () => add.mutateAsync({ body: [{ userIds: [user.id], groupIds: [group.id] }] }),
      });
  };
  return (
    <CardRow
      title={group.name}
      description={
        capabilities === undefined
          ? group.description
          : names
            ? `Grants: ${names}.`
            : 'Grants no capabilities.'
      }
      action={
        <Button
          size="small"
          aria-label={`Remove from ${group.name}`}
          disabledReason={reason ?? holds(capabilities)}
          onClick={() => void confirmRemoval()}
        >
          Remove
        </Button>
      }
    />
  );
}

/** Adds the user to more groups; current ones stay. */
function AddGroups({ groups }: { groups: readonly GroupInfoResponse[] }) {
  const user = useUser();
  const { reason } = usePermission('assignGroups');
  const add = useWrite('assignGroups', assignGroupsMutation());
  const remove = useWrite('unassignGroups', unassignGroupsMutation());
  const form = useForm({
    resolver: zodResolver(zUsersToUserGroupRequestVm),
    defaultValues: { userIds: [user.id], groupIds: [] },
  });
  const selectedIds = useWatch({ control: form.control, name: 'groupIds' });
  const { options, gives } = useGroupOptions(groups, selectedIds);
  useUnsavedGuard(selectedIds.length > 0);
  const submit = async (pairs: UsersToUserGroupRequestVm) => {
    const isAdded = await add.mutateAsync({ body: [pairs] }).then(
      () => true,
      () => false,
    );
    if (!isAdded) return;
    const count = pluralize(pairs.groupIds.length, 'group', 'groups');
    toastUndoable({
      title: `${formatFullName(user)} was added to ${count}`,
      subject: formatFullName(user),
      undone: `${formatFullName(user)} was removed from ${count} again`,
      readVersion: () => readVersion(user.id),
      revert: () => remove.mutateAsync({ body: [pairs] }),
    });
    form.reset();
  };
  return (
    <Card title="Add to groups">
      <div className="user-card-form">
        <Form
          form={form}
          pending={add.isPending}
          error={useUserWriteError(add.error)}
          submitLabel="Add to groups"
          disabledReason={reason ?? (selectedIds.length === 0 ? 'Choose a group first' : undefined)}
          onSubmit={submit}
        >
          <MultiSelectField
            control={form.control}
            name="groupIds"
            label="Groups"
            placeholder="Choose groups"
            options={options}
            hint={gives ?? 'Other groups stay unchanged.'}
          />
        </Form>
      </div>
    </Card>
  );
}
