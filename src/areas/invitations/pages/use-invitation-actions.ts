import { useQueryClient } from '@tanstack/react-query';
import type { InvitationInfoResponse } from '../../../../contract/generated/types.gen.ts';
import { invalidateAfter } from '../../../api/invalidation.ts';
import { useSession } from '../../../api/session.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { toFailure } from '../../../ui/feedback/failure.ts';
import { toast } from '../../../ui/toast.ts';
import { getActionReason } from '../model/actions.ts';
import { executeRequest } from '../model/execute-request.ts';
import { startInvitationRun } from '../model/job.ts';
import { OPERATION_BY_ACTION } from '../model/requests.ts';
import type { InvitationRequest } from '../model/requests.ts';

type Invitations = readonly InvitationInfoResponse[];

export const formatInvitations = (number: number): string => pluralize(number, 'invitation', 'invitations');

/** A dialog does not wait for rate limits; a job does. */
const refuseToWait = (seconds: number): Promise<never> =>
  Promise.reject(new Error(`Rate limit reached; try again in ${pluralize(seconds, 'second', 'seconds')}`));

/** Resends, revokes and extends invitations: one immediately, several as a job. */
export function useInvitationActions() {
  const client = useQueryClient();
  const { capabilities } = useSession();

  /** Executes one request; a failure is thrown with its message. */
  const executeOne = async (order: InvitationRequest): Promise<void> => {
    const { result, message, requestId } = await executeRequest(order, {
      capabilities,
      mayBeStored: false,
      wait: refuseToWait,
    });
    if (result === 'failed') throw Object.assign(new Error(message), { requestId });
    await invalidateAfter(client, OPERATION_BY_ACTION[order.action]);
    toast({ title: order.email, description: `${message}.` });
  };

  const startMany = (orders: readonly InvitationRequest[], title: string) =>
    startInvitationRun({ title, requests: orders, client });

  return {
    resend: (selected: Invitations): void => {
      const orders = filterActionable('resend', selected).map(
        ({ id, email }) => ({ action: 'resend', id, email }) as const,
      );
      const [first] = orders;
      if (orders.length > 1) startMany(orders, `Send ${formatInvitations(orders.length)} again`);
      else if (first) executeOne(first).catch((thrown: unknown) => tellFailure(first, thrown));
    },
    revoke: async (selected: Invitations): Promise<boolean> => {
      const orders = filterActionable('revoke', selected).map(
        ({ id, email }) => ({ action: 'revoke', id, email }) as const,
      );
      const [first] = orders;
      if (!first) return false;
      const single = orders.length === 1;
      const title = `Revoke ${single ? `the invitation of ${first.email}` : formatInvitations(orders.length)}`;
      const isConfirmed = await confirm({
        title: `${title}?`,
        body: `${single ? 'The link in the e-mail stops' : 'The links in their e-mails stop'} working at once. Nobody is notified. The same person can be invited again.${formatSkipped(selected.length - orders.length)}`,
        action: `Revoke ${single ? 'the invitation' : formatInvitations(orders.length)}`,
        danger: true,
        ...(single && { run: () => executeOne(first) }),
      });
      if (isConfirmed && !single) startMany(orders, title);
      return isConfirmed;
    },
    /** Rejects with the error of a single request, which the dialog shows. */
    extend: async (selected: Invitations, days: number): Promise<void> => {
      const orders = filterActionable('extend', selected).map(
        ({ id, email }) => ({ action: 'extend', id, email, days }) as const,
      );
      const [first] = orders;
      if (orders.length > 1) startMany(orders, `Extend ${formatInvitations(orders.length)}`);
      else if (first) await executeOne(first);
    },
  };
}

/** Invitations for which the action is possible. */
export const filterActionable = (
  action: Parameters<typeof getActionReason>[0],
  selected: Invitations,
): InvitationInfoResponse[] => selected.filter((one) => getActionReason(action, one) === undefined);

const formatSkipped = (number: number): string =>
  number === 0
    ? ''
    : ` ${pluralize(number, 'other selected invitation is', 'other selected invitations are')} not pending and skipped.`;

function tellFailure({ email, action }: InvitationRequest, thrown: unknown): void {
  const title = action === 'resend' ? `Not sent again to ${email}` : `Not changed: ${email}`;
  toast({ title, description: toFailure(thrown).message, tone: 'bad' });
}
