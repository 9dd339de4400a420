import { zodResolver } from '@hookform/resolvers/zod';
import { useForm, useWatch } from 'react-hook-form';
import { useState } from 'react';
import { beginActingMutation } from '../../api/generated/@tanstack/react-query.gen.ts';
import type { OwnPrincipal } from '../../api/generated/types.gen.ts';
import { zBeginActing } from '../../api/generated/zod.gen.ts';
import { holderOf } from '../../api/session-query.ts';
import { useSession } from '../../api/session.ts';
import { useWrite } from '../../api/write.ts';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import { Form } from '../../ui/form/Form.tsx';
import { TextField } from '../../ui/form/TextField.tsx';
import { switchActing } from '../session/session.ts';
import { mayLeave } from '../../ui/form/unsaved.ts';
import { noteActedFor, recentFirst, recentlyActedFor } from './recent.ts';
import { useOwnPrincipals } from './work-as.ts';
import { fold } from '../../lib/fold.ts';
import './acting.css';

interface WorkAsDialogProps {
  /** Whom it begins with. */
  userId: number | undefined;
  onClose: () => void;
}

/** Whom to work as and why; says beforehand what that means for everybody. */
export default function WorkAsDialog({ userId, onClose }: WorkAsDialogProps) {
  const session = useSession();
  const holder = holderOf(session);
  const people = recentFirst(useOwnPrincipals(), recentlyActedFor(holder));
  const begin = useWrite('beginActing', beginActingMutation());
  const only = people.length === 1 ? people[0] : people.find(({ id }) => id === userId);
  const form = useForm({
    resolver: zodResolver(zBeginActing),
    defaultValues: { userId: only?.refusal === null ? only.id : 0, reason: '' },
  });
  const chosenId = useWatch({ control: form.control, name: 'userId' });
  const chosen = people.find(({ id }) => id === chosenId);

  const submit = async (body: { userId: number; reason: string }) => {
    if (!(await mayLeave())) return;
    begin.mutate(
      { body: { ...body, reason: body.reason.trim() } },
      {
        onSuccess(acting) {
          noteActedFor(holder, body.userId);
          switchActing(acting, '/');
        },
      },
    );
  };

  return (
    <Dialog title={chosen ? `Work as ${chosen.fullName}` : 'Work as somebody else'} onClose={onClose}>
      <Form
        form={form}
        pending={begin.isPending || begin.isSuccess}
        error={begin.error}
        submit={chosen ? `Work as ${chosen.fullName}` : 'Work as'}
        disabledReason={chosen ? undefined : 'Choose somebody first'}
        onCancel={onClose}
        onSubmit={submit}
      >
        <PrincipalField
          people={people}
          value={chosenId}
          onChange={(id) => form.setValue('userId', id, { shouldDirty: true })}
        />
        <TextField
          control={form.control}
          name="reason"
          label="Reason"
          rows={2}
          maxLength={500}
          hint={`It stands in the e-mail to ${chosen?.fullName ?? 'that person'} and in the report.`}
        />
        <Meaning chosen={chosen} />
      </Form>
    </Dialog>
  );
}

/** What will be possible, what will not, and who is told. */
function Meaning({ chosen }: { chosen: OwnPrincipal | undefined }) {
  const name = chosen?.fullName ?? 'that person';
  return (
    <ul className="work-as-what">
      <li>You see and do what {name} may see and do, and nothing of what only you may.</li>
      <li>
        Users, groups, licenses, proxies, backups and settings cannot be managed meanwhile, whatever either of
        you may do. Downloads and exports are off.
      </li>
      <li>{chosen?.fullName ?? 'That person'} gets an e-mail now, with your name and the reason.</li>
      <li>Everything you open and change is written into a report, under both names.</li>
    </ul>
  );
}

interface PrincipalFieldProps {
  people: readonly OwnPrincipal[];
  value: number;
  onChange: (userId: number) => void;
}

// From so many on one searches rather than looks.
const MANY = 7;

/** One of those somebody may work as; who cannot be chosen now says why. */
function PrincipalField({ people, value, onChange }: PrincipalFieldProps) {
  const [typed, setTyped] = useState('');
  const wanted = fold(typed.trim());
  const shown = people.filter(
    ({ id, fullName, email }) => id === value || fold(`${fullName} ${email}`).includes(wanted),
  );
  return (
    <fieldset className="field">
      <legend className="field-label">Work as</legend>
      {people.length > MANY && (
        <input
          type="search"
          className="input"
          aria-label="Search people"
          placeholder="Name or e-mail"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      <div className="work-as-people">
        {shown.map(({ id, fullName, email, refusal }) => (
          // The name stands in it, a level further down than is looked for.
          // oxlint-disable-next-line jsx-a11y/label-has-associated-control
          <label key={id} className="work-as-one">
            <input
              type="radio"
              name="principal"
              checked={id === value}
              aria-disabled={refusal !== null || undefined}
              onChange={() => {
                if (refusal === null) onChange(id);
              }}
            />
            <span>
              <strong>{fullName}</strong>
              <small>{refusal ?? email}</small>
            </span>
          </label>
        ))}
        {shown.length === 0 && <p className="options-none">Nothing matches</p>}
      </div>
    </fieldset>
  );
}
