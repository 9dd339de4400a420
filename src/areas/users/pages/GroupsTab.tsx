import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Users, UsersRound } from 'lucide-react';
import { zodResolver } from '@hookform/resolvers/zod';
import { useForm, useWatch } from 'react-hook-form';
import {
  unassignGroupsMutation,
  assignGroupsMutation,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { Capability, GroupInfoResponse } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { groupsQuery, inOrder } from '../../../directory/groups.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Card, CardRow } from '../../../ui/layout/Card.tsx';
import {
  namesOfCapabilities,
  useGroupCapabilities,
  useGroupReason,
} from '../../groups/model/group-capabilities.ts';
import { useUser } from './use-user.ts';
import { fullName } from '../model/user-query.ts';
import { zUsersToUserGroupRequestVm } from '../../../api/generated/zod.gen.ts';
import { counted } from '../../../lib/numbers.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { MultiSelectField } from '../../../ui/form/MultiSelectField.tsx';
import { useGroupOptions } from '../../groups/model/group-options.ts';
import { useWords } from '../model/words.ts';
import '../../groups/pages/group-page.css';

const list = new Intl.ListFormat('en');

/** The groups of the user with what each gives. Adding adds and removing removes: no list is ever replaced. */
export function GroupsTab() {
  const user = useUser();
  const groups = useQuery(groupsQuery).data ?? [];
  const own = user.groups.map(
    (id) => groups.find((group) => group.id === id) ?? { id, name: `Group ${id}`, userCount: 0 },
  );
  const given = useGroupCapabilities(user.groups);
  const together = inOrder([...given.values()].flat());
  const from = (capability: Capability) =>
    own.filter(({ id }) => given.get(id)?.includes(capability)).map(({ name }) => name);
  return (
    <div className="user-cols">
      <div className="user-main">
        <Card title={`Groups of ${fullName(user)}`}>
          {own.map((group) => (
            <GroupRow key={group.id} group={group} />
          ))}
          {own.length === 0 && (
            <EmptyState icon={UsersRound} title="In no group">
              Groups give capabilities. Without one, {user.firstName} can sign in but do nothing here.
            </EmptyState>
          )}
        </Card>
        <AddGroups groups={groups.filter(({ id }) => !user.groups.includes(id))} />
      </div>
      <div className="user-side">
        <Card title="Together they give">
          {together.length === 0 ? (
            <div className="card-body user-quiet">No capabilities.</div>
          ) : (
            <ul className="group-gives">
              {together.map((capability) => (
                <li key={capability}>
                  <strong>{capability}</strong>
                  <span>from {list.format(from(capability))}</span>
                </li>
              ))}
            </ul>
          )}
        </Card>
        <Link to="/groups/compare" search={{ a: user.id }} className={buttonClass()}>
          <Users />
          Compare with somebody
        </Link>
      </div>
    </div>
  );
}

function GroupRow({ group }: { group: Pick<GroupInfoResponse, 'id' | 'name' | 'description'> }) {
  const user = useUser();
  const { reason } = useAllowed('unassignGroups');
  const remove = useWrite('unassignGroups', unassignGroupsMutation());
  const given = useGroupCapabilities([group.id]).get(group.id);
  const holds = useGroupReason();
  const names = given && namesOfCapabilities(given);
  const ask = async () => {
    const done = await confirm({
      title: `Remove ${fullName(user)} from ${group.name}?`,
      body: names
        ? `They lose what no other group of theirs gives: ${names}. Other groups stay as they are.`
        : 'The group gives no capabilities. Other groups stay as they are.',
      action: 'Remove from group',
      danger: true,
      run: () => remove.mutateAsync({ body: [{ userIds: [user.id], groupIds: [group.id] }] }),
    });
    if (done) toast({ title: `${fullName(user)} is no longer in ${group.name}` });
  };
  return (
    <CardRow
      title={group.name}
      description={
        given === undefined ? group.description : names ? `Gives: ${names}.` : 'Gives no capabilities.'
      }
      action={
        <Button
          size="small"
          aria-label={`Remove from ${group.name}`}
          disabledReason={reason ?? holds(given)}
          onClick={() => void ask()}
        >
          Remove
        </Button>
      }
    />
  );
}

/** Puts the user into more groups; those they are in stay. */
function AddGroups({ groups }: { groups: readonly GroupInfoResponse[] }) {
  const user = useUser();
  const { reason } = useAllowed('assignGroups');
  const add = useWrite('assignGroups', assignGroupsMutation());
  const form = useForm({
    resolver: zodResolver(zUsersToUserGroupRequestVm),
    defaultValues: { userIds: [user.id], groupIds: [] },
  });
  const chosen = useWatch({ control: form.control, name: 'groupIds' });
  const { options, gives } = useGroupOptions(groups, chosen);
  useUnsavedGuard(chosen.length > 0);
  return (
    <Card title="Add to groups">
      <div className="user-card-form">
        <Form
          form={form}
          pending={add.isPending}
          error={useWords(add.error)}
          submit="Add to groups"
          disabledReason={reason ?? (chosen.length === 0 ? 'Choose a group first' : undefined)}
          onSubmit={(pairs) =>
            add.mutate(
              { body: [pairs] },
              {
                onSuccess() {
                  toast({
                    title: `${fullName(user)} was added to ${counted(pairs.groupIds.length, 'group', 'groups')}`,
                  });
                  form.reset();
                },
              },
            )
          }
        >
          <MultiSelectField
            control={form.control}
            name="groupIds"
            label="Groups"
            placeholder="Choose groups"
            options={options}
            hint={gives ?? 'Adding takes nothing away: the groups above stay until they are removed there.'}
          />
        </Form>
      </div>
    </Card>
  );
}
