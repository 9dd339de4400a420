import { useId, useRef, useState } from 'react';
import type { SubmitEvent } from 'react';
import type { InvitationInfoResponse } from '../../../../contract/generated/types.gen.ts';
import { formatShortDate } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { toFailure } from '../../../ui/feedback/failure.ts';
import type { Failure } from '../../../ui/feedback/failure.ts';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { getEnd, getExtendedEnd } from '../model/actions.ts';
import { formatEnd, formatDays } from '../model/terms.ts';
import { QUICK_EXTENSION_DAYS } from './columns.tsx';
import { DaysField } from './DaysField.tsx';
import { filterActionable, formatInvitations, useInvitationActions } from './use-invitation-actions.ts';

interface ExtendDialogProps {
  selected: readonly InvitationInfoResponse[];
  onClose: () => void;
  onStart: () => void;
}

/** Dialog that extends memberships or pending links. */
export function ExtendDialog({ selected, onClose, onStart }: ExtendDialogProps) {
  const formId = useId();
  const { extend } = useInvitationActions();
  const [days, setDays] = useState<number | undefined>(QUICK_EXTENSION_DAYS);
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const submitButton = useRef<HTMLButtonElement>(null);
  const extendable = filterActionable('extend', selected);
  const [only] = extendable;

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (pending || days === undefined) return;
    setPending(true);
    // The field is locked and loses the focus.
    submitButton.current?.focus();
    setFailure(undefined);
    try {
      await extend(extendable, days);
      onStart();
      onClose();
    } catch (thrown) {
      setFailure(toFailure(thrown));
      setPending(false);
    }
  };

  return (
    <Dialog
      title={
        extendable.length === 1 ? `Extend ${only?.email}` : `Extend ${formatInvitations(extendable.length)}`
      }
      onClose={pending ? () => undefined : onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            ref={submitButton}
            type="submit"
            form={formId}
            variant="primary"
            pending={pending}
            disabledReason={days === undefined ? 'Enter the number of days' : undefined}
          >
            {days === undefined ? 'Extend' : `Extend by ${formatDays(days)}`}
          </Button>
        </>
      }
    >
      <form id={formId} className="dialog-form" onSubmit={(event) => void submit(event)}>
        {/* What is typed now would be lost when the dialog closes. */}
        <div className="form-body" inert={pending}>
          <DaysField label="Additional days" days={days} onChange={setDays} />
        </div>
        {days !== undefined && <NewEnds those={extendable} days={days} />}
        {extendable.length < selected.length && (
          <p>
            {pluralize(selected.length - extendable.length, 'other selected has', 'others selected have')} no
            end to move.
          </p>
        )}
        {failure && <FailureBanner failure={failure} />}
      </form>
    </Dialog>
  );
}

const KINDS = [
  { status: 'accepted', one: 'The membership ends', many: ['memberships', 'end'] },
  { status: 'pending', one: 'The link works until', many: ['links', 'work until'] },
] as const;

/** Resulting end of one invitation, or the range of several. */
function NewEnds({ those, days }: { those: readonly InvitationInfoResponse[]; days: number }) {
  return (
    <div className="inv-ends">
      {KINDS.map(({ status, one, many }) => {
        const own = those.filter((each) => each.status === status);
        const ends = own
          .map((each) => getExtendedEnd(each, days))
          .toSorted((a, b) => a.getTime() - b.getTime());
        const [first, last] = [ends[0], ends.at(-1)];
        const [only] = own;
        if (!first || !last || !only) return null;
        if (own.length === 1)
          return (
            <p key={status}>
              {one} <strong>{formatEnd(first)}</strong>, instead of {formatEnd(getEnd(only))}.
            </p>
          );
        return (
          <p key={status}>
            {formatNumber(own.length)} {many[0]} {many[1]} <strong>{formatEnd(first)}</strong>
            {formatShortDate(first) !== formatShortDate(last) && (
              <>
                {' '}
                to <strong>{formatEnd(last)}</strong>
              </>
            )}
            .
          </p>
        );
      })}
      {those.some((one) => one.status === 'accepted' && hasEnded(one)) && (
        <p>Memberships and links that have ended start again now.</p>
      )}
    </div>
  );
}

const hasEnded = (one: InvitationInfoResponse): boolean => new Date(getEnd(one)) < new Date();
