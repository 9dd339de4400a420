import { useId, useState } from 'react';
import type { SubmitEvent } from 'react';
import type { InvitationInfoResponse } from '../../../api/generated/types.gen.ts';
import { daysAfter } from '../../../lib/ends.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { failureOf } from '../../../ui/feedback/failure.ts';
import type { Failure } from '../../../ui/feedback/failure.ts';
import { endOf } from './-acts.ts';
import { ONE_PRESS } from './-columns.tsx';
import { DaysField } from './-DaysField.tsx';
import { endWords, inDays } from './-terms.ts';
import { able, invitations, useActs } from './-use-acts.ts';

interface ExtendDialogProps {
  selected: readonly InvitationInfoResponse[];
  onClose: () => void;
  onBegin: () => void;
}

/** More days for a membership that ends or for a link that is still open. */
export function ExtendDialog({ selected, onClose, onBegin }: ExtendDialogProps) {
  const formId = useId();
  const { extend } = useActs();
  const [days, setDays] = useState<number | undefined>(ONE_PRESS);
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const those = able('extend', selected);
  const [only] = those;

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (pending || days === undefined) return;
    setPending(true);
    setFailure(undefined);
    try {
      await extend(those, days);
      onBegin();
      onClose();
    } catch (thrown) {
      setFailure(failureOf(thrown));
      setPending(false);
    }
  };

  return (
    <Dialog
      title={those.length === 1 ? `Extend ${only?.email}` : `Extend ${invitations(those.length)}`}
      onClose={pending ? () => undefined : onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            pending={pending}
            disabledReason={days === undefined ? 'Say how many days' : undefined}
          >
            {days === undefined ? 'Extend' : `Extend by ${inDays(days)}`}
          </Button>
        </>
      }
    >
      <form id={formId} className="dialog-form" onSubmit={(event) => void submit(event)}>
        <DaysField label="Days more" days={days} onChange={setDays} />
        {days !== undefined && <NewEnds those={those} days={days} />}
        {those.length < selected.length && (
          <p>
            {counted(selected.length - those.length, 'other selected has', 'others selected have')} no end to
            move.
          </p>
        )}
        {failure && <FailureBanner failure={failure} />}
      </form>
    </Dialog>
  );
}

/** Where the end goes: for one the day, for many the first and the last. */
function NewEnds({ those, days }: { those: readonly InvitationInfoResponse[]; days: number }) {
  const kinds = [
    { status: 'accepted', one: 'The membership', many: 'memberships', verb: ['ends', 'end'] },
    { status: 'pending', one: 'The link', many: 'links', verb: ['works until', 'work until'] },
  ] as const;
  return (
    <div className="inv-ends">
      {kinds.map(({ status, one, many, verb }) => {
        const ends = those
          .filter((each) => each.status === status)
          .map(endOf)
          .toSorted();
        const [first, last] = [ends[0], ends.at(-1)];
        if (first === undefined || last === undefined) return null;
        const to = endWords(daysAfter(days, first));
        if (ends.length === 1)
          return (
            <p key={status}>
              {one} {verb[0]} <strong>{to}</strong>, not {endWords(first)}.
            </p>
          );
        return (
          <p key={status}>
            {count(ends.length)} {many} {verb[1]} <strong>{to}</strong>
            {first !== last && (
              <>
                {' '}
                to <strong>{endWords(daysAfter(days, last))}</strong>
              </>
            )}
            .
          </p>
        );
      })}
    </div>
  );
}
