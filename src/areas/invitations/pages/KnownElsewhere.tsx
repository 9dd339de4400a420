import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { InviteeCheck } from '../../../../contract/generated/types.gen.ts';
import { PERMANENT } from '../../../../contract/rules/people/invitations.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import {
  addExistingUserMutation,
  inviteExistingUserMutation,
  revokeInvitationMutation,
} from '../../../api/generated/queries/invitations.gen.ts';
import { checkInvitees, listInvitations } from '../../../api/generated/sdk/invitations.gen.ts';
import { searchUsers } from '../../../api/generated/sdk/users.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toastFailedWrite } from '../../../app/state/failed-write.ts';
import { toastUndoable } from '../../../app/state/undo.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { toast } from '../../../ui/toast.ts';
import { formatRefusal } from '../model/refusal.ts';
import './known-elsewhere.css';

// Waits for a pause in typing, so that incomplete addresses are not checked.
const CHECK_DELAY_MS = 900;
const ADDRESS_PATTERN = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Check result of the address being typed; undefined unless it matters. */
export function useKnownElsewhere(typed: string): InviteeCheck | undefined {
  const { allowed } = usePermission('checkInvitees');
  const [email, setEmail] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setEmail(typed), CHECK_DELAY_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data } = useQuery({
    queryKey: ['known-elsewhere', email],
    queryFn: async ({ signal }) => (await checkInvitees({ body: { emails: [email] }, signal })).data[0],
    enabled: allowed && email === typed && ADDRESS_PATTERN.test(email),
    // Not retried: the form does not depend on it.
    retry: false,
  });
  return email === typed && data && SHOWN_OUTCOMES.has(data.outcome) ? data : undefined;
}

const SHOWN_OUTCOMES: ReadonlySet<InviteeCheck['outcome']> = new Set([
  'invited',
  'addable',
  'invitable',
  'member',
]);

interface KnownElsewhereProps {
  email: string;
  check: InviteeCheck | undefined;
  groups: readonly number[];
  /** Called once they are invited or added, with the id of an added user. */
  onDone: (userId: number | undefined) => void;
}

/** Buttons to invite or add a user of another site (spec 4.2 rule 2), with reasons if disabled. */
export function KnownElsewhere({ email, check, groups, onDone }: KnownElsewhereProps) {
  const { capabilities } = useSession();
  const invite = useWrite('inviteExistingUser', inviteExistingUserMutation());
  const revoke = useWrite('revokeInvitation', revokeInvitationMutation());
  const add = useWrite('addExistingUser', addExistingUserMutation());
  const mayInvite = usePermission('inviteExistingUser').reason;
  const mayAdd = usePermission('addExistingUser').reason;
  const body = { email, ...(groups.length > 0 && { groups: [...groups] }) };
  const eligible = check?.outcome === 'invitable' ? check.message : undefined;
  const showFailure = (action: 'invite' | 'add', thrown: unknown) =>
    toastFailedWrite(
      email,
      action === 'add' ? 'added' : 'invited',
      thrown,
      formatRefusal(action, toServiceError(thrown), capabilities),
    );

  // Another address, or closing the panel, removes the buttons before the answer.
  const sendInvitation = async () => {
    try {
      await invite.mutateAsync({ body: { ...body, type: PERMANENT } });
    } catch (thrown) {
      showFailure('invite', thrown);
      return;
    }
    toastUndoable({
      title: `${email} was invited`,
      subject: `the invitation of ${email}`,
      undone: `The invitation of ${email} is revoked`,
      // The service refuses to revoke an accepted invitation, as it does for the inverse of a job that invites.
      revert: async () => revoke.mutateAsync({ path: { id: await loadPendingId(email) } }),
    });
    onDone(undefined);
  };
  const addNow = async () => {
    try {
      await add.mutateAsync({ body });
    } catch (thrown) {
      showFailure('add', thrown);
      return;
    }
    toast({ title: `${email} was added` });
    onDone(await loadUserId(email));
  };

  if (check?.outcome === 'invited') {
    return (
      <>
        Already invited.{' '}
        <Link to="/invitations" search={{ q: email }}>
          Show the invitation
        </Link>
      </>
    );
  }
  return (
    <span className="known">
      <Button
        size="small"
        pending={invite.isPending}
        disabledReason={mayInvite}
        onClick={() => void sendInvitation()}
      >
        Invite them
      </Button>
      <Button
        size="small"
        pending={add.isPending}
        disabledReason={mayAdd ?? eligible}
        onClick={() => void addNow()}
      >
        Add without confirmation
      </Button>
      <Link to="/invitations/new" search={{ email }}>
        More options
      </Link>
    </span>
  );
}

/** Id of the invitation that was just sent, which is among the newest. */
async function loadPendingId(email: string): Promise<number> {
  const { data } = await listInvitations({ query: { status: 'pending', pageSize: 100 } });
  const invitation = data.find((one) => one.email.toLowerCase() === email.toLowerCase());
  if (!invitation) throw new ServiceError(409, 'The invitation is no longer pending');
  return invitation.id;
}

async function loadUserId(email: string): Promise<number | undefined> {
  const { data } = await searchUsers({ query: { email } });
  return data[0]?.id;
}
