import type { Control } from 'react-hook-form';
import { zInvestigationChange } from '../../../api/generated/zod.gen.ts';
import { TextField } from '../../../ui/form/TextField.tsx';

/** What a form about an investigation asks for. */
export interface InvestigationValues {
  name: string;
  notes: string;
}

const { shape } = zInvestigationChange;

// As long as the contract lets a name be.
const MOST_NAME = 120;

/** What the form takes, by the rules of the contract. */
export const investigationSchema = zInvestigationChange.extend({
  name: shape.name.unwrap(),
  notes: shape.notes.unwrap(),
});

/** Name and notes, when it is saved and when it is edited. */
export function InvestigationFields({ control }: { control: Control<InvestigationValues> }) {
  return (
    <>
      <TextField control={control} name="name" label="Name" maxLength={MOST_NAME} />
      <TextField
        control={control}
        name="notes"
        label="Notes"
        rows={8}
        optional
        hint="What is looked into, for whom, and what was found."
      />
    </>
  );
}
