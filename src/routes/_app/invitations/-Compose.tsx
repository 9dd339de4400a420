import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useAllowed } from '../../../api/session.ts';
import { useDirectory } from '../../../directory/directory.ts';
import { fold } from '../../../lib/fold.ts';
import { Trail } from '../../../shell/Trail.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { useStore } from '../../../ui/store.ts';
import { useGroupOptions } from '../users/-group-options.ts';
import { AddressBox } from './-AddressBox.tsx';
import { planInvitees } from './-choices.ts';
import type { Invitee } from './-choices.ts';
import { checks, draft, inviteRun } from './-draft.ts';
import { InviteeTable } from './-InviteeTable.tsx';
import { startRun } from './-job.ts';
import { MembershipCard } from './-MembershipCard.tsx';
import { ordersOf, planTitle } from './-plan.ts';

/** Who is meant, how they become members, and what would happen to each. */
export function Compose() {
  const client = useQueryClient();
  const { entries, settings, chosen } = useStore(draft);
  const { known, failure, asking, waits } = useStore(checks.store);
  const invite = useAllowed('inviteExistingUser').reason;
  const add = useAllowed('addExistingUser').reason;
  const { groups } = useDirectory();
  const { options, gives } = useGroupOptions(groups, settings.groups);
  const book = useMemo(
    () =>
      new Map(
        options.map(({ value, label, disabledReason }) => [
          fold(label),
          { id: value, reason: disabledReason },
        ]),
      ),
    [options],
  );
  const invitees = planInvitees({
    entries,
    checks: known,
    unanswered: failure !== undefined,
    settings,
    chosen,
    may: { invite, add },
    book,
  });
  const send = (those: readonly Invitee[]) =>
    startRun({ title: planTitle(those), orders: ordersOf(those), client, onShow: inviteRun.set });

  return (
    <Page title="Invite people" breadcrumbs={<Trail />}>
      <div className="inv-make">
        <div className="inv-make-side">
          <AddressBox />
          <MembershipCard {...{ settings, options, gives }} reasons={{ invite, add }} />
        </div>
        <InviteeTable invitees={invitees} check={{ failure, asking, waits }} onSend={send} />
      </div>
    </Page>
  );
}
