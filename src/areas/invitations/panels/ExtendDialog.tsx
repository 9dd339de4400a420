import { useId, useState } from 'react';
import type { SubmitEvent } from 'react';
import type { InvitationInfoResponse } from '../../../api/generated/types.gen.ts';
import { shortDate } from '../../../lib/dates.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { failureOf } from '../../../ui/feedback/failure.ts';
import type { Failure } from '../../../ui/feedback/failure.ts';
import { endOf, extendedEnd } from '../model/acts.ts';
import { ONE_PRESS } from '../pages/columns.tsx';
import { DaysField } from '../pages/DaysField.tsx';
import { endWords, inDays } from '../model/terms.ts';
import { able, invitations, useActs } from '../pages/use-acts.ts';

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

const KINDS = [
  { status: 'accepted', one: 'The membership ends', many: ['memberships', 'end'] },
  { status: 'pending', one: 'The link works until', many: ['links', 'work until'] },
] as const;

/** Where the end goes: for one the day, for many the first and the last. */
function NewEnds({ those, days }: { those: readonly InvitationInfoResponse[]; days: number }) {
  return (
    <div className="inv-ends">
      {KINDS.map(({ status, one, many }) => {
        const own = those.filter((each) => each.status === status);
        const ends = own.map((each) => extendedEnd(each, days)).toSorted((a, b) => a.getTime() - b.getTime());
        const [first, last] = [ends[0], ends.at(-1)];
        const [only] = own;
        if (!first || !last || !only) return null;
        if (own.length === 1)
          return (
            <p key={status}>
              {one} <strong>{endWords(first)}</strong>, instead of {endWords(endOf(only))}.
            </p>
          );
        return (
          <p key={status}>
            {count(own.length)} {many[0]} {many[1]} <strong>{endWords(first)}</strong>
            {shortDate(first) !== shortDate(last) && (
              <>
                {' '}
                to <strong>{endWords(last)}</strong>
              </>
            )}
            .
          </p>
        );
      })}
      {those.some((one) => one.status === 'accepted' && hasEnded(one)) && (
        <p>What has ended already begins again now.</p>
      )}
    </div>
  );
}

const hasEnded = (one: InvitationInfoResponse): boolean => new Date(endOf(one)) < new Date();
