import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useStore } from '../../../ui/store.ts';
import { Compose } from './-Compose.tsx';
import { addText, draft, inviteRun, reviewAgain } from './-draft.ts';
import type { InvitationRun } from './-job.ts';
import { Sending } from './-Sending.tsx';
import './-invite.css';

const route = getRouteApi('/_app/invitations/new');

/** Invites and adds many at once: first who, then what came of each. */
export function InvitePage() {
  const { email } = route.useSearch();
  const run = useStore(inviteRun);
  // Another page sends somebody here with an address; coming back to it must not repeat it.
  useEffect(() => {
    if (email === undefined) return;
    if (hasEnded(inviteRun.get())) reviewAgain();
    if (!draft.get().text.includes(email)) addText(email);
  }, [email]);
  return run ? <Sending run={run} /> : <Compose />;
}

const hasEnded = (run: InvitationRun | undefined): boolean =>
  run?.state === 'done' || run?.state === 'failed';
