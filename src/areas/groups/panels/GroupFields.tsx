import { zodResolver } from '@hookform/resolvers/zod';
import { useRouter } from '@tanstack/react-router';
import { useId } from 'react';
import type { Control } from 'react-hook-form';
import { useController, useForm } from 'react-hook-form';
import {
  capabilities as all,
  findMissingCapabilities,
} from '../../../../contract/rules/people/capabilities.ts';
import { createGroupMutation } from '../../../api/generated/queries/groups.gen.ts';
import { useSession, usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { sortCapabilities } from '../../../directory/groups.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { Toggle } from '../../../ui/form/Toggle.tsx';
import { toast } from '../../../ui/toast.ts';
import type { GroupValues } from '../model/group-form.ts';
import { groupSchema, EMPTY_GROUP } from '../model/group-form.ts';
import { useGroupWriteError } from '../model/write-errors.ts';
import '../effects/group-panel.css';

interface GroupFieldsProps {
  control: Control<GroupValues, unknown, GroupValues>;
  /** Capabilities of the group before editing. */
  before: GroupValues['capabilities'];
}

/** Fields of a new or existing group. */
export function GroupFields({ control, before }: GroupFieldsProps) {
  return (
    <>
      {/* The panel was opened to type. */}
      {/* oxlint-disable-next-line jsx-a11y/no-autofocus */}
      <TextField control={control} name="name" label="Name" autoFocus />
      <TextField
        control={control}
        name="description"
        label="Description"
        optional
        rows={2}
        hint="What the group is for."
      />
      <CapabilitiesField {...{ control, before }} />
    </>
  );
}

interface CapabilitiesFieldProps {
  control: Control<GroupValues, unknown, GroupValues>;
  /** Capabilities of the group before editing; those the user does not hold cannot be changed. */
  before: GroupValues['capabilities'];
}

/** Checkboxes for all capabilities with descriptions; those the user does not hold are disabled with a reason. */
function CapabilitiesField({ control, before }: CapabilitiesFieldProps) {
  const id = useId();
  const session = useSession();
  const { field } = useController({ control, name: 'capabilities' });
  const isHeld = (name: (typeof all)[number]['name']) =>
    findMissingCapabilities(session.capabilities, [name]).length === 0;
  return (
    <fieldset className="capabilities">
      <legend className="field-label">
        Capabilities <span className="num">{field.value.length}</span>
      </legend>
      {all.map(({ name, description }, at) => (
        <Toggle
          key={name}
          kind="checkbox"
          // Names contain spaces, which separate ids.
          id={`${id}-${at}`}
          label={name}
          hint={description}
          checked={field.value.includes(name)}
          disabledReason={isHeld(name) ? undefined : formatReason(before.includes(name))}
          onChange={(on) =>
            field.onChange(on ? [...field.value, name] : field.value.filter((one) => one !== name))
          }
        />
      ))}
    </fieldset>
  );
}

const formatReason = (given: boolean): string =>
  `You do not have it, so you cannot ${given ? 'remove it from this group' : 'grant it'}.`;

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
