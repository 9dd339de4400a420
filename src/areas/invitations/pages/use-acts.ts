import { useQueryClient } from '@tanstack/react-query';
import { markStale } from '../../../api/effects.ts';
import type { InvitationInfoResponse } from '../../../api/generated/types.gen.ts';
import { useSession } from '../../../api/session.ts';
import { counted } from '../../../lib/numbers.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { failureOf } from '../../../ui/feedback/failure.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { against } from '../model/acts.ts';
import { startRun } from '../model/job.ts';
import { OPERATIONS } from '../model/order.ts';
import type { Order } from '../model/order.ts';
import { perform } from '../model/perform.ts';

type Invitations = readonly InvitationInfoResponse[];

export const invitations = (number: number): string => counted(number, 'invitation', 'invitations');

/** In front of a dialog nobody waits; a job does. */
const refuseToWait = (seconds: number): Promise<never> =>
  Promise.reject(
    new Error(
      `The service takes no more for the moment; possible again in ${counted(seconds, 'second', 'seconds')}`,
    ),
  );

/** Sending again, revoking, extending: one at once, several as a job in the tray. */
export function useActs() {
  const client = useQueryClient();
  const { capabilities } = useSession();

  /** Sends one order; a failure is thrown as what can be shown. */
  const one = async (order: Order): Promise<void> => {
    const { result, words, requestId } = await perform(order, {
      held: capabilities,
      unsure: false,
      wait: refuseToWait,
    });
    if (result === 'failed') throw Object.assign(new Error(words), { requestId });
    await markStale(client, OPERATIONS[order.does]);
    toast({ title: order.email, description: `${words}.` });
  };

  const many = (orders: readonly Order[], title: string) => startRun({ title, orders, client });

  return {
    resend: (selected: Invitations): void => {
      const orders = able('resend', selected).map(
        ({ id, email }) => ({ does: 'resend', id, email }) as const,
      );
      const [first] = orders;
      if (orders.length > 1) many(orders, `Send ${invitations(orders.length)} again`);
      else if (first) one(first).catch((thrown: unknown) => tellFailure(first, thrown));
    },
    revoke: async (selected: Invitations): Promise<boolean> => {
      const orders = able('revoke', selected).map(
        ({ id, email }) => ({ does: 'revoke', id, email }) as const,
      );
      const [first] = orders;
      if (!first) return false;
      const single = orders.length === 1;
      const title = `Revoke ${single ? `the invitation of ${first.email}` : invitations(orders.length)}`;
      const agreed = await confirm({
        title: `${title}?`,
        body: `${single ? 'The link in the e-mail stops' : 'The links in their e-mails stop'} working at once. Nobody is told. The same person can be invited anew.${passedOver(selected.length - orders.length)}`,
        action: `Revoke ${single ? 'the invitation' : invitations(orders.length)}`,
        danger: true,
        ...(single && { run: () => one(first) }),
      });
      if (agreed && !single) many(orders, title);
      return agreed;
    },
    /** For the dialog, which shows the failure of one itself. */
    extend: async (selected: Invitations, days: number): Promise<void> => {
      const orders = able('extend', selected).map(
        ({ id, email }) => ({ does: 'extend', id, email, days }) as const,
      );
      const [first] = orders;
      if (orders.length > 1) many(orders, `Extend ${invitations(orders.length)}`);
      else if (first) await one(first);
    },
  };
}

/** Those among them with which it can be done. */
export const able = (act: Parameters<typeof against>[0], selected: Invitations): InvitationInfoResponse[] =>
  selected.filter((one) => against(act, one) === undefined);

const passedOver = (number: number): string =>
  number === 0
    ? ''
    : ` ${counted(number, 'other selected is', 'others selected are')} not pending and left alone.`;

function tellFailure({ email, does }: Order, thrown: unknown): void {
  const title = does === 'resend' ? `Not sent again to ${email}` : `Not changed: ${email}`;
  toast({ title, description: failureOf(thrown).message, tone: 'bad' });
}
