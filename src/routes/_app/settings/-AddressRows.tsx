import { Plus, X } from 'lucide-react';
import { useFieldArray } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import type { AddressValues } from './-address-form.ts';

interface AddressRowsProps {
  control: Control<AddressValues, unknown, AddressValues>;
  /** The address of the person at work; undefined when it is in the list. */
  missing: string | undefined;
}

/** The networks, a line each with what it is. */
export function AddressRows({ control, missing }: AddressRowsProps) {
  const { fields, append, remove } = useFieldArray({ control, name: 'addresses' });
  return (
    <>
      {fields.length === 0 && (
        <p className="set-soft">
          No address is approved yet: users with IP restrictions cannot sign in from anywhere.
        </p>
      )}
      {fields.length > 0 && (
        // Each field has its own label; these head the columns for the eye.
        <div className="set-line set-line-head" aria-hidden="true">
          <span>Address or network</span>
          <span>What it is</span>
        </div>
      )}
      <ul className="set-lines" aria-label="Approved addresses">
        {fields.map((field, at) => (
          <li key={field.id} className="set-line">
            <TextField
              control={control}
              name={`addresses.${at}.network`}
              label={`Address or network ${at + 1}`}
              placeholder="203.0.113.0/24"
              maxLength={64}
            />
            <TextField
              control={control}
              name={`addresses.${at}.note`}
              label={`What it is ${at + 1}`}
              maxLength={200}
            />
            <IconButton label={`Remove line ${at + 1}`} icon={X} onClick={() => remove(at)} />
          </li>
        ))}
      </ul>
      <span className="set-buttons">
        <Button size="small" icon={Plus} onClick={() => append({ network: '', note: '' })}>
          Add line
        </Button>
        {missing !== undefined && (
          <Button size="small" onClick={() => append({ network: missing, note: '' })}>
            Add my address {missing}
          </Button>
        )}
      </span>
    </>
  );
}
