import { zodResolver } from '@hookform/resolvers/zod';
import { useRouter } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { createGroupMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { inOrder } from '../../../directory/groups.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { groupSchema, EMPTY } from '../model/group-form.ts';
import type { GroupValues } from '../model/group-form.ts';
import { GroupFields } from '../pages/GroupFields.tsx';
import { useWords } from '../model/words.ts';

/** Creates a group, over the list; then its page, where people are added to it. */
export function NewGroupPanel() {
  const router = useRouter();
  const { reason } = useAllowed('createGroup');
  const create = useWrite('createGroup', createGroupMutation());
  const form = useForm({ resolver: zodResolver(groupSchema), defaultValues: EMPTY });
  useUnsavedGuard(form.formState.isDirty);
  const close = () => void router.navigate({ to: '/groups', search: (now) => now });

  const submit = async ({ name, description, capabilities }: GroupValues) => {
    const body = {
      name: name.trim(),
      ...(description.trim() !== '' && { description: description.trim() }),
      capabilities: inOrder(capabilities),
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
        error={useWords(create.error)}
        submit="Create group"
        disabledReason={reason}
        onCancel={close}
        onSubmit={submit}
      >
        <GroupFields control={form.control} before={EMPTY.capabilities} />
      </Form>
    </Panel>
  );
}
