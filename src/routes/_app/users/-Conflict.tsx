import { useWatch } from 'react-hook-form';
import type { UseFormReturn } from 'react-hook-form';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import type { Clash, Merged } from './-merge.ts';
import { PROFILE_LABELS } from './-profile-fields.ts';
import type { ProfileField, ProfileValues } from './-profile-fields.ts';
import { usePersonName } from './-use-person-name.ts';

/** What somebody else had saved when we tried to. */
export interface Found extends Merged<ProfileField> {
  others: readonly string[];
  by: number | null;
}

interface ConflictProps {
  form: UseFormReturn<ProfileValues>;
  found: Found;
}

const list = new Intl.ListFormat('en');

// What stands in the way of saving is read first.
const takeFocus = (notice: HTMLElement | null) => notice?.focus();

/** Their version beside mine, field by field; what is chosen stands in the form, and nothing is sent yet. */
export function Conflict({ form, found: { clashes, taken, others, by } }: ConflictProps) {
  const who = usePersonName(by) ?? 'Somebody else';
  const choose = (field: ProfileField, value: string) =>
    form.setValue(field, value, { shouldDirty: true, shouldValidate: true });
  return (
    <div ref={takeFocus} tabIndex={-1} className="user-conflict">
      <Banner tone="warn" title={`${who} changed this user while you were typing`}>
        {clashes.length > 0 ? (
          <>
            Nothing of yours is saved yet, and nothing is lost. Choose which value to keep, then save.
            <table>
              <thead>
                <tr>
                  <th scope="col">Field</th>
                  <th scope="col">Theirs</th>
                  <th scope="col">Mine</th>
                </tr>
              </thead>
              <tbody>
                {clashes.map((clash) => (
                  <ClashRow key={clash.field} clash={clash} form={form} onChoose={choose} />
                ))}
              </tbody>
            </table>
            <Button size="small" onClick={() => clashes.forEach(({ field, mine }) => choose(field, mine))}>
              Keep all of mine
            </Button>
          </>
        ) : (
          'Nothing you typed is affected. Save again to keep it.'
        )}
        {taken.length > 0 && (
          <p>
            Taken over from them:{' '}
            {list.format(taken.map(({ field, theirs }) => `${PROFILE_LABELS[field]} “${theirs}”`))}.
          </p>
        )}
        {others.length > 0 && <p>Also changed: {list.format(others)}.</p>}
      </Banner>
    </div>
  );
}

interface ClashRowProps {
  clash: Clash<ProfileField>;
  form: UseFormReturn<ProfileValues>;
  onChoose: (field: ProfileField, value: string) => void;
}

function ClashRow({ clash: { field, theirs, mine }, form, onChoose }: ClashRowProps) {
  const value = useWatch({ control: form.control, name: field });
  const option = (side: string, own: string) => (
    <td>
      <label>
        <input
          type="radio"
          name={`conflict ${field}`}
          aria-label={`${PROFILE_LABELS[field]}, ${side}: ${own || 'empty'}`}
          checked={value === own}
          onChange={() => onChoose(field, own)}
        />
        <span>{own || 'empty'}</span>
      </label>
    </td>
  );
  return (
    <tr>
      <th scope="row">{PROFILE_LABELS[field]}</th>
      {option('theirs', theirs)}
      {option('mine', mine)}
    </tr>
  );
}
