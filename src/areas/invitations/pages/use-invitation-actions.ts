import { useQueryClient } from '@tanstack/react-query';
import type { InvitationInfoResponse, Job } from '../../../../contract/generated/types.gen.ts';
import { toServiceError, UnknownOutcomeError } from '../../../api/errors.ts';
import {
  deleteInvitationMutation,
  extendInvitationMutation,
  resendInvitationMutation,
  revokeInvitationMutation,
  startInvitationDeletionsMutation,
  startInvitationExtensionsMutation,
  startInvitationRevocationsMutation,
  startInvitationsMutation,
} from '../../../api/generated/queries/invitations.gen.ts';
import { useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toastFailedWrite } from '../../../app/state/failed-write.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { toast } from '../../../ui/toast.ts';
import { showStartedJob } from '../../jobs/index.ts';
import { getActionReason } from '../model/actions.ts';
import type { InvitationAction } from '../model/actions.ts';
import { formatRefusal } from '../model/refusal.ts';
import { formatExtended } from '../model/requests.ts';

type Invitations = readonly InvitationInfoResponse[];

export const formatInvitations = (number: number): string => pluralize(number, 'invitation', 'invitations');

/** Resends, revokes, extends and deletes invitations: one immediately, several as a job of the service. */
export function useInvitationActions() {
  const client = useQueryClient();
  const { capabilities } = useSession();
  const resendOne = useWrite('resendInvitation', resendInvitationMutation());
  const revokeOne = useWrite('revokeInvitation', revokeInvitationMutation());
  const extendOne = useWrite('extendInvitation', extendInvitationMutation());
  const deleteOne = useWrite('deleteInvitation', deleteInvitationMutation());
  const resendMany = useWrite('startInvitations', startInvitationsMutation());
  const revokeMany = useWrite('startInvitationRevocations', startInvitationRevocationsMutation());
  const deleteMany = useWrite('startInvitationDeletions', startInvitationDeletionsMutation());
  const extendMany = useWrite('startInvitationExtensions', startInvitationExtensionsMutation());

  /** Executes one request; a failure is thrown with its message in words. */
  const executeOne = async <Answer>(
    action: InvitationAction,
    { email }: InvitationInfoResponse,
    send: () => Promise<Answer>,
    describe: (answer: Answer) => string,
  ): Promise<void> => {
    let answer: Answer;
    try {
      answer = await send();
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (error instanceof UnknownOutcomeError) throw error;
      throw Object.assign(new Error(formatRefusal(action, error, capabilities)), {
        requestId: error.requestId,
      });
    }
    toast({ title: email, description: `${describe(answer)}.` });
  };
  const startMany = async (start: Promise<Job>): Promise<void> => showStartedJob(client, await start);

  return {
    /** True once it was sent or the job was started; failures are shown. */
    resend: async (selected: Invitations): Promise<boolean> => {
      const [first, ...others] = filterActionable('resend', selected);
      if (!first) return false;
      const ids = [first, ...others].map(({ id }) => id);
      try {
        await (others.length > 0
          ? startMany(resendMany.mutateAsync({ body: { resend: ids } }))
          : executeOne(
              'resend',
              first,
              () => resendOne.mutateAsync({ path: { id: first.id } }),
              () => 'Sent again; the earlier link no longer works',
            ));
        return true;
      } catch (thrown) {
        if (others.length > 0) toastFailedWrite('The change', 'started', thrown);
        else toastFailedWrite(`The invitation of ${first.email}`, 'sent again', thrown);
        return false;
      }
    },
    revoke: (selected: Invitations): Promise<boolean> => {
      const [first, ...others] = filterActionable('revoke', selected);
      if (!first) return Promise.resolve(false);
      const invitationIds = [first, ...others].map(({ id }) => id);
      const single = others.length === 0;
      const count = formatInvitations(invitationIds.length);
      return confirm({
        title: `Revoke ${single ? `the invitation of ${first.email}` : count}?`,
        body: `${single ? 'The link in the e-mail stops' : 'The links in their e-mails stop'} working at once. Nobody is notified. The same person can be invited again.${formatSkipped(selected.length - invitationIds.length, 'not pending')}`,
        action: `Revoke ${single ? 'the invitation' : count}`,
        danger: true,
        run: () =>
          single
            ? executeOne(
                'revoke',
                first,
                () => revokeOne.mutateAsync({ path: { id: first.id } }),
                () => 'Revoked; the link no longer works',
              )
            : startMany(revokeMany.mutateAsync({ body: { invitationIds } })),
      });
    },
    delete: (selected: Invitations): Promise<boolean> => {
      const [first, ...others] = filterActionable('delete', selected);
      if (!first) return Promise.resolve(false);
      const invitationIds = [first, ...others].map(({ id }) => id);
      const single = others.length === 0;
      const count = pluralize(invitationIds.length, 'record', 'records');
      return confirm({
        title: single ? `Delete the record of the invitation of ${first.email}?` : `Delete ${count}?`,
        body: `${single ? 'It disappears' : 'They disappear'} from this list and cannot be restored. Memberships stay, and the audit log keeps what happened.${formatSkipped(selected.length - invitationIds.length, 'still needed')}`,
        action: `Delete ${single ? 'the record' : count}`,
        danger: true,
        run: () =>
          single
            ? executeOne(
                'delete',
                first,
                () => deleteOne.mutateAsync({ path: { id: first.id } }),
                () => 'The record of the invitation is deleted',
              )
            : startMany(deleteMany.mutateAsync({ body: { invitationIds } })),
      });
    },
    /** Rejects with the error, which the dialog shows. */
    extend: async (selected: Invitations, days: number): Promise<void> => {
      const [first, ...others] = filterActionable('extend', selected);
      if (!first) return;
      const invitationIds = [first, ...others].map(({ id }) => id);
      await (others.length > 0
        ? startMany(extendMany.mutateAsync({ body: { invitationIds, days } }))
        : executeOne(
            'extend',
            first,
            () => extendOne.mutateAsync({ path: { id: first.id }, body: { days } }),
            formatExtended,
          ));
    },
  };
}

/** Invitations for which the action is possible. */
export const filterActionable = (action: InvitationAction, selected: Invitations): InvitationInfoResponse[] =>
  selected.filter((one) => getActionReason(action, one) === undefined);

const formatSkipped = (number: number, why: string): string =>
  number === 0
    ? ''
    : ` ${pluralize(number, 'other selected invitation is', 'other selected invitations are')} ${why} and skipped.`;
