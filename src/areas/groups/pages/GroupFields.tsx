import type { Control } from 'react-hook-form';
import { useId } from 'react';
import { useController } from 'react-hook-form';
import { TextField } from '../../../ui/form/TextField.tsx';
import type { GroupValues } from '../model/group-form.ts';
import { capabilities as all, capabilitiesNotHeld } from '../../../../contract/rules/capabilities.ts';
import { useSession } from '../../../api/session.ts';
import { Check } from '../../../ui/form/Check.tsx';
import './group-panel.css';

interface GroupFieldsProps {
  control: Control<GroupValues, unknown, GroupValues>;
  /** What the group gives as it is. */
  before: GroupValues['capabilities'];
}

/** What a group is made of, for a new one and for one that changes. */
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
        hint="What the group is for, in words that help to choose it."
      />
      <CapabilitiesField {...{ control, before }} />
    </>
  );
}

interface CapabilitiesFieldProps {
  control: Control<GroupValues, unknown, GroupValues>;
  /** Of the group as it is: who does not hold one can neither give nor take it. */
  before: GroupValues['capabilities'];
}

/** Every capability with what it lets a person do; those one does not hold stay as they are, and say why. */
function CapabilitiesField({ control, before }: CapabilitiesFieldProps) {
  const id = useId();
  const session = useSession();
  const { field } = useController({ control, name: 'capabilities' });
  const held = (name: (typeof all)[number]['name']) =>
    capabilitiesNotHeld(session.capabilities, [name]).length === 0;
  return (
    <fieldset className="capabilities">
      <legend className="field-label">
        Capabilities <span className="num">{field.value.length}</span>
      </legend>
      {all.map(({ name, sentence }, at) => (
        <Check
          key={name}
          kind="checkbox"
          // A name has spaces, which part ids.
          id={`${id}-${at}`}
          label={name}
          hint={sentence}
          checked={field.value.includes(name)}
          disabledReason={held(name) ? undefined : reasonFor(before.includes(name))}
          onChange={(on) =>
            field.onChange(on ? [...field.value, name] : field.value.filter((one) => one !== name))
          }
        />
      ))}
    </fieldset>
  );
}

const reasonFor = (given: boolean): string =>
  `You do not have it, so you cannot ${given ? 'take it from this group' : 'give it'}.`;
