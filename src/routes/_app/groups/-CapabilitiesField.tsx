import { useId } from 'react';
import { useController } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import { capabilities as all, capabilitiesNotHeld } from '../../../../contract/rules/capabilities.ts';
import { useSession } from '../../../api/session.ts';
import { Check } from '../../../ui/form/Check.tsx';
import type { GroupValues } from './-group-form.ts';
import './-group-panel.css';

interface CapabilitiesFieldProps {
  control: Control<GroupValues, unknown, GroupValues>;
  /** Of the group as it is: who does not hold one can neither give nor take it. */
  before: GroupValues['capabilities'];
}

/** Every capability with what it lets a person do; those one does not hold stay as they are, and say why. */
export function CapabilitiesField({ control, before }: CapabilitiesFieldProps) {
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
