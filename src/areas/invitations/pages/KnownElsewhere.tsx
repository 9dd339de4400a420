import { PERMANENT } from '../../../../contract/rules/invitations.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ServiceError } from '../../../api/errors.ts';
import {
  addExistingUserMutation,
  inviteExistingUserMutation,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import { checkInvitees, searchUsers } from '../../../api/generated/sdk.gen.ts';
import type { InviteeCheck } from '../../../api/generated/types.gen.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { refusalWords } from '../model/refusal.ts';
import './known-elsewhere.css';

// Half an address is not worth a question.
const PAUSE = 900;
const LIKE_AN_ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** What the service knows of an address that is being typed; undefined while that is nothing worth telling. */
export function useKnownElsewhere(typed: string): InviteeCheck | undefined {
  const { allowed } = useAllowed('checkInvitees');
  const [email, setEmail] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setEmail(typed), PAUSE);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data } = useQuery({
    queryKey: ['known-elsewhere', email],
    queryFn: async ({ signal }) => (await checkInvitees({ body: { emails: [email] }, signal })).data[0],
    enabled: allowed && email === typed && LIKE_AN_ADDRESS.test(email),
    // A form that waits for nothing else need not wait for this.
    retry: false,
  });
  return email === typed && data && TOLD.has(data.outcome) ? data : undefined;
}

const TOLD: ReadonlySet<InviteeCheck['outcome']> = new Set(['invited', 'addable', 'invitable', 'member']);

interface KnownElsewhereProps {
  email: string;
  check: InviteeCheck | undefined;
  groups: readonly number[];
  /** They are on their way here; with the id of whoever was added. */
  onDone: (userId: number | undefined) => void;
}

/** The two ways in for an address that has a user on another site (spec 4.2 rule 2): each with its reason where it is closed. */
export function KnownElsewhere({ email, check, groups, onDone }: KnownElsewhereProps) {
  const { capabilities } = useSession();
  const invite = useWrite('inviteExistingUser', inviteExistingUserMutation());
  const add = useWrite('addExistingUser', addExistingUserMutation());
  const mayInvite = useAllowed('inviteExistingUser').reason;
  const mayAdd = useAllowed('addExistingUser').reason;
  const body = { email, ...(groups.length > 0 && { groups: [...groups] }) };
  const eligible = check?.outcome === 'invitable' ? check.message : undefined;
  const failed = (does: 'invite' | 'add') => (error: ServiceError) =>
    toast({
      title: does === 'add' ? `${email} was not added` : `${email} was not invited`,
      description: refusalWords(does, error, capabilities),
      tone: 'bad',
    });

  const sendInvitation = () =>
    invite.mutate(
      { body: { ...body, type: PERMANENT } },
      {
        onSuccess() {
          toast({ title: `${email} was invited`, description: 'They are a member as soon as they accept.' });
          onDone(undefined);
        },
        onError: failed('invite'),
      },
    );
  const addNow = () =>
    add.mutate(
      { body },
      {
        async onSuccess() {
          toast({ title: `${email} was added` });
          onDone(await idOf(email));
        },
        onError: failed('add'),
      },
    );

  if (check?.outcome === 'invited') {
    return (
      <>
        Invited already.{' '}
        <Link to="/invitations" search={{ q: email }}>
          Show the invitation
        </Link>
      </>
    );
  }
  return (
    <span className="known">
      <Button size="small" pending={invite.isPending} disabledReason={mayInvite} onClick={sendInvitation}>
        Invite them
      </Button>
      <Button size="small" pending={add.isPending} disabledReason={mayAdd ?? eligible} onClick={addNow}>
        Add without confirmation
      </Button>
      <Link to="/invitations/new" search={{ email }}>
        For some days, or several people
      </Link>
    </span>
  );
}

async function idOf(email: string): Promise<number | undefined> {
  const { data } = await searchUsers({ query: { email } });
  return data[0]?.id;
}
