import { useId } from 'react';
import type { Control } from 'react-hook-form';
import { useController } from 'react-hook-form';
import { capabilities as all, findMissingCapabilities } from '../../../../contract/rules/capabilities.ts';
import { useSession } from '../../../api/session.ts';
import { TextField } from '../../../ui/form/TextField.tsx';
import { Toggle } from '../../../ui/form/Toggle.tsx';
import type { GroupValues } from '../model/group-form.ts';
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
      <TextField control={control} name="name" label="Name" maxLength={100} autoFocus />
      <TextField
        control={control}
        name="description"
        label="Description"
        optional
        rows={2}
        maxLength={1000}
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
