import type { Control } from 'react-hook-form';
import { TextField } from '../../../ui/form/TextField.tsx';
import { CapabilitiesField } from './-CapabilitiesField.tsx';
import type { GroupValues } from './-group-form.ts';

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
