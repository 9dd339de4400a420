import { getRouteApi } from '@tanstack/react-router';
import { MailX } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { useAllowed } from '../../../api/session.ts';
import { Trail } from '../../../shell/Trail.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { useStore } from '../../../ui/store.ts';
import { Compose } from './-Compose.tsx';
import { addText, beginWhereDone, draft, inviteRun, reviewAgain } from './-draft.ts';
import type { InvitationRun } from './-job.ts';
import { Sending } from './-Sending.tsx';
import './-invite.css';

const route = getRouteApi('/_app/invitations/new');

/** Invites and adds many at once: first who, then what came of each. */
export function InvitePage() {
  const { email } = route.useSearch();
  const run = useStore(inviteRun);
  const { allowed, reason } = useAllowed('checkInvitees');
  useLayoutEffect(beginWhereDone, []);
  // Another page sends somebody here with an address; coming back to it must not repeat it.
  useEffect(() => {
    if (email === undefined) return;
    if (hasEnded(inviteRun.get())) reviewAgain();
    if (!draft.get().text.includes(email)) addText(email);
  }, [email]);
  // The button that was pressed is gone with its page: the heading says what stands there now.
  const isSent = run !== undefined;
  const wasSent = useRef(isSent);
  useEffect(() => {
    if (wasSent.current !== isSent) document.querySelector<HTMLElement>('#page-title')?.focus();
    wasSent.current = isSent;
  }, [isSent]);
  if (run) return <Sending run={run} />;
  if (allowed) return <Compose />;
  return (
    <Page title="Invite people" breadcrumbs={<Trail />}>
      <EmptyState icon={MailX} title="You cannot invite or add people here">
        {reason}.
      </EmptyState>
    </Page>
  );
}

const hasEnded = (run: InvitationRun | undefined): boolean =>
  run?.state === 'done' || run?.state === 'failed';
