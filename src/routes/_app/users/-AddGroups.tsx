import { zodResolver } from '@hookform/resolvers/zod';
import { useForm, useWatch } from 'react-hook-form';
import { assignGroupsMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { GroupInfoResponse } from '../../../api/generated/types.gen.ts';
import { zUsersToUserGroupRequestVm } from '../../../api/generated/zod.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { counted } from '../../../lib/numbers.ts';
import { useUnsavedGuard } from '../../../shell/unsaved.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { MultiSelectField } from '../../../ui/form/MultiSelectField.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { useGroupOptions } from './-group-options.ts';
import { useUser } from './-use-user.ts';
import { fullName } from './-user-query.ts';
import { useWords } from './-words.ts';

/** Puts the user into more groups; those they are in stay. */
export function AddGroups({ groups }: { groups: readonly GroupInfoResponse[] }) {
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
