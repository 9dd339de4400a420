import { zodResolver } from '@hookform/resolvers/zod';
import { useRouter } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { createGroupMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { sortCapabilities } from '../../../directory/groups.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { toast } from '../../../ui/toast.ts';
import { groupSchema, EMPTY_GROUP } from '../model/group-form.ts';
import type { GroupValues } from '../model/group-form.ts';
import { useGroupWriteError } from '../model/write-errors.ts';
import { GroupFields } from './GroupFields.tsx';

/** Panel over the list that creates a group and opens its page. */
export function NewGroupPanel() {
  const router = useRouter();
  const { reason } = usePermission('createGroup');
  const create = useWrite('createGroup', createGroupMutation());
  const form = useForm({ resolver: zodResolver(groupSchema), defaultValues: EMPTY_GROUP });
  useUnsavedGuard(form.formState.isDirty);
  const close = () => void router.navigate({ to: '/groups', search: (now) => now });

  const submit = async ({ name, description, capabilities }: GroupValues) => {
    const body = {
      name: name.trim(),
      ...(description.trim() !== '' && { description: description.trim() }),
      capabilities: sortCapabilities(capabilities),
    };
    const groupId = await create.mutateAsync({ body }).catch(() => undefined);
    if (groupId === undefined) return;
    toast({ title: `${body.name} was created` });
    await router.navigate({ to: '/groups/$groupId', params: { groupId }, ignoreBlocker: true });
  };

  return (
    <Panel title="New group" onClose={close}>
      <Form
        form={form}
        pending={form.formState.isSubmitting}
        error={useGroupWriteError(create.error)}
        submitLabel="Create group"
        disabledReason={reason}
        onCancel={close}
        onSubmit={submit}
      >
        <GroupFields control={form.control} before={EMPTY_GROUP.capabilities} />
      </Form>
    </Panel>
  );
}
