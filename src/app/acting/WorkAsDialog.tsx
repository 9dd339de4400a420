import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import type { OwnPrincipal } from '../../../contract/generated/types.gen.ts';
import { foldText } from '../../../contract/rules/fold-text.ts';
import { MIN_REASON_LENGTH } from '../../../contract/rules/people/proxies.ts';
import { beginActingMutation } from '../../api/generated/queries/proxies.gen.ts';
import { zBeginActing } from '../../api/generated/zod.gen.ts';
import { getSessionIdentity } from '../../api/session-query.ts';
import { useSession } from '../../api/session.ts';
import { useWrite } from '../../api/write.ts';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import { confirmLeave } from '../../ui/dialog/unsaved-work.ts';
import { Form } from '../../ui/form/Form.tsx';
import { TextField } from '../../ui/form/TextField.tsx';
import { switchActing } from '../session/session.ts';
import { useOwnPrincipals } from './acting.ts';
import { saveRecentPrincipal, sortRecentFirst, loadRecentPrincipals } from './recent-principals.ts';
import './acting.css';

interface WorkAsDialogProps {
  /** Preselected principal. */
  userId: number | undefined;
  onClose: () => void;
}

/** Fields of the dialog; the site decides whether a reason is required. */
const buildSchema = (isReasonRequired: boolean) =>
  z.object({
    userId: zBeginActing.shape.userId,
    reason: z
      .string()
      .trim()
      .min(isReasonRequired ? MIN_REASON_LENGTH : 0, `Use at least ${MIN_REASON_LENGTH} characters`)
      .max(500),
  });

/** Dialog to start acting: principal, reason, and the consequences. */
export default function WorkAsDialog({ userId, onClose }: WorkAsDialogProps) {
  const session = useSession();
  const identity = getSessionIdentity(session);
  const isReasonRequired = session.site.requiresActingReason;
  const people = sortRecentFirst(useOwnPrincipals(), loadRecentPrincipals(identity));
  const begin = useWrite('beginActing', beginActingMutation());
  const preselected = people.length === 1 ? people[0] : people.find(({ id }) => id === userId);
  const form = useForm({
    resolver: zodResolver(buildSchema(isReasonRequired)),
    defaultValues: { userId: preselected?.refusal === null ? preselected.id : 0, reason: '' },
  });
  const chosenId = useWatch({ control: form.control, name: 'userId' });
  const chosen = people.find(({ id }) => id === chosenId);

  const submit = async ({ userId: principalId, reason }: { userId: number; reason: string }) => {
    if (!(await confirmLeave())) return;
    // The dialog can be closed before the answer, but the session acts as the other person from then on.
    const acting = await begin
      .mutateAsync({ body: { userId: principalId, ...(reason !== '' && { reason }) } })
      .catch(() => undefined);
    if (!acting) return;
    saveRecentPrincipal(identity, principalId);
    switchActing(acting, '/');
  };

  return (
    <Dialog title={chosen ? `Work as ${chosen.fullName}` : 'Work as someone else'} onClose={onClose}>
      <Form
        form={form}
        pending={begin.isPending || begin.isSuccess}
        error={begin.error}
        submitLabel={chosen ? `Work as ${chosen.fullName}` : 'Work as'}
        disabledReason={chosen ? undefined : 'Choose a person first'}
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
          optional={!isReasonRequired}
          rows={2}
          hint={`Included in the e-mail to ${chosen?.fullName ?? 'that person'} and in the report.`}
        />
        <ActingNotes chosen={chosen} isReasonRequired={isReasonRequired} />
      </Form>
    </Dialog>
  );
}

interface ActingNotesProps {
  chosen: OwnPrincipal | undefined;
  isReasonRequired: boolean;
}

/** Lists what acting permits and who is notified. */
function ActingNotes({ chosen, isReasonRequired }: ActingNotesProps) {
  const name = chosen?.fullName ?? 'that person';
  return (
    <ul className="work-as-what">
      <li>You have the permissions of {name} instead of your own.</li>
      <li>
        You cannot manage users, groups, licenses, proxies, backups or settings, whatever permissions either
        of you has. Downloads and exports are not available.
      </li>
      <li>
        {chosen?.fullName ?? 'That person'} gets an e-mail now, with your name{' '}
        {isReasonRequired ? 'and the reason' : 'and the reason if you give one'}.
      </li>
      <li>Everything you open and change is recorded in a report under both names.</li>
    </ul>
  );
}

interface PrincipalFieldProps {
  people: readonly OwnPrincipal[];
  value: number;
  onChange: (userId: number) => void;
}

// With more people than this, a search field is shown.
const MAX_PEOPLE_WITHOUT_SEARCH = 7;

/** Radio list of principals; a principal that cannot be selected shows the reason. */
function PrincipalField({ people, value, onChange }: PrincipalFieldProps) {
  const [typed, setTyped] = useState('');
  const folded = foldText(typed.trim());
  const matches = people.filter(
    ({ id, fullName, email }) => id === value || foldText(`${fullName} ${email}`).includes(folded),
  );
  return (
    <fieldset className="field">
      <legend className="field-label">Work as</legend>
      {people.length > MAX_PEOPLE_WITHOUT_SEARCH && (
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
        {matches.map(({ id, fullName, email, refusal }) => (
          // oxlint-disable-next-line jsx-a11y/label-has-associated-control -- the label text is nested deeper than the rule looks
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
        {matches.length === 0 && <p className="options-none">Nothing matches</p>}
      </div>
    </fieldset>
  );
}
