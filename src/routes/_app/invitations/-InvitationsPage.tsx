import { useRouter } from '@tanstack/react-router';
import { Mail, MailX } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { InvitationInfoResponse } from '../../../api/generated/types.gen.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { useDirectory } from '../../../directory/directory.ts';
import { counted } from '../../../lib/numbers.ts';
import { setNavCount } from '../../../shell/nav-counts.ts';
import { useShortcut } from '../../../shell/shortcuts.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { BulkBar } from '../../../ui/table/BulkBar.tsx';
import type { RowId } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { useMedia } from '../../../ui/use-media.ts';
import { COLUMNS, WIDE_COLUMNS } from './-columns.tsx';
import { ExtendDialog } from './-ExtendDialog.tsx';
import { InvitationsBar } from './-InvitationsBar.tsx';
import { InviteLink } from './-InviteLink.tsx';
import { NamesOf, useNames } from './-names.tsx';
import { useInvitations } from './-query.ts';
import { endsSoon, inDays, SOON } from './-terms.ts';
import { useInvitationItems } from './-use-items.ts';
import { useView } from './-use-view.ts';
import { findInvitations, isNarrowed } from './-view.ts';

const SHORTCUTS = [{ keys: 'n', label: 'Invite people', group: 'Invitations' }];
// With the navigation beside it, the whole table needs so much.
const ROOMY = '(min-width: 1420px)';
const WIDE = '(min-width: 1600px)';
const LAST = ['groups'];
const NOTHING: readonly string[] = [];
const NONE: ReadonlySet<RowId> = new Set();
const idOf = ({ id }: InvitationInfoResponse) => id;
const emailOf = ({ email }: InvitationInfoResponse) => email;

/** Every invitation of the site. The address holds what is asked for. */
export function InvitationsPage() {
  const router = useRouter();
  const { allowed, reason } = useAllowed('listInvitations');
  useShortcut(SHORTCUTS, () => void router.navigate({ to: '/invitations/new' }));
  if (allowed) return <InvitationList />;
  return (
    <Page title="Invitations">
      <EmptyState icon={MailX} title="You cannot see the invitations of this site" actions={<InviteLink />}>
        {reason}. People can be added without it by whoever has the capability Manage Existing Users.
      </EmptyState>
    </Page>
  );
}

function InvitationList() {
  const { site } = useSession();
  const list = useInvitations(true);
  const { all, complete, error, refreshing, refresh } = list;
  const { groups } = useDirectory();
  const typed = useView();
  const { view, show } = typed;
  const roomy = useMedia(ROOMY);
  const columns = useMedia(WIDE) ? WIDE_COLUMNS : COLUMNS;
  const hidden = view.hidden ?? (roomy ? NOTHING : LAST);
  const [selection, setSelection] = useState(NONE);
  const [extending, setExtending] = useState<readonly InvitationInfoResponse[]>();
  const clear = () => setSelection(NONE);
  const items = useInvitationItems({ onExtend: setExtending, onBegin: clear });
  const names = useNames(all, groups);
  const asked = useDeferredValue(view);
  const found = useMemo(() => all && findInvitations(all, names.people, asked), [all, names, asked]);
  const soon = useMemo(() => all?.filter((one) => endsSoon(one)) ?? [], [all]);
  const pending = useMemo(() => all?.filter(({ status }) => status === 'pending').length, [all]);
  useEffect(() => {
    if (complete && pending !== undefined) setNavCount('/invitations', pending);
  }, [complete, pending]);

  // Nothing to try again and nothing to show: the page says what is missing, as every other does.
  if (error?.status === 403 && all === undefined) throw error;
  const selected = all?.filter(({ id }) => selection.has(id)) ?? [];
  return (
    <Page
      fill
      title="Invitations"
      meta={
        all && complete && `${counted(all.length, 'invitation', 'invitations')} · ${pending ?? 0} pending`
      }
      actions={<InviteLink />}
    >
      {soon.length > 0 && !view.soon && (
        <Banner
          tone="warn"
          title={`${counted(soon.length, 'temporary membership ends', 'temporary memberships end')} within ${inDays(SOON)}`}
          actions={
            <Button size="small" onClick={() => show({ ...view, q: '', status: [], soon: true })}>
              Show {soon.length === 1 ? 'it' : 'them'}
            </Button>
          }
        >
          Without more days they lose their access by themselves; they are told before.
        </Banner>
      )}
      <InvitationsBar {...typed} hidden={hidden} list={list} counts={found?.counts} soon={soon.length} />
      <NamesOf names={names}>
        <DataTable
          label="Invitations"
          columns={columns}
          rows={found?.rows}
          rowId={idOf}
          rowLabel={emailOf}
          rowMenu={items.row}
          hidden={hidden}
          selection={selection}
          onSelect={setSelection}
          refetching={refreshing && error !== undefined}
          error={error}
          onRetry={refresh}
          empty={
            <EmptyState icon={Mail} title={`Nobody was invited to ${site.name} yet`} actions={<InviteLink />}>
              An invitation brings somebody of another site here as well, for good or for some days. Who has
              no user on the platform yet is created instead.
            </EmptyState>
          }
          onClearFilters={
            isNarrowed(view) ? () => show({ ...view, q: '', status: [], soon: false }) : undefined
          }
        />
      </NamesOf>
      {found && (
        <BulkBar
          count={selected.length}
          total={found.rows.length}
          onSelectAll={() => setSelection(new Set(found.rows.map(idOf)))}
          onClear={clear}
          actions={items.bulk(selected)}
        />
      )}
      {extending && (
        <ExtendDialog selected={extending} onClose={() => setExtending(undefined)} onBegin={clear} />
      )}
    </Page>
  );
}
