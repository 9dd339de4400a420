import { useRouter, Link, getRouteApi } from '@tanstack/react-router';
import { Mail, MailX, MailPlus, RefreshCw, AtSign, Ban, CalendarPlus, Send, UserRound } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { InvitationInfoResponse } from '../../../api/generated/types.gen.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { useDirectory } from '../../../directory/directory.ts';
import { counted, count } from '../../../lib/numbers.ts';
import { setNavCount } from '../../../app/shell/nav-counts.ts';
import { useShortcut } from '../../../app/shell/shortcuts.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { BulkBar } from '../../../ui/table/BulkBar.tsx';
import type { RowId } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { useMedia } from '../../../ui/use-media.ts';
import { COLUMNS, WIDE_COLUMNS, STATUS_WORDS } from './columns.tsx';
import { ExtendDialog } from '../panels/ExtendDialog.tsx';
import { NamesOf, useNames } from './names.tsx';
import { useInvitations } from '../model/query.ts';
import { endsSoon, inDays, SOON } from '../model/terms.ts';
import { findInvitations, isNarrowed, STATUSES, readView, writeView } from '../model/view.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { useInviteAction } from '../model/use-invite-action.ts';
import { clockTime } from '../../../lib/dates.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { FilterChip } from '../../../ui/table/FilterChip.tsx';
import { AsOf, TableBar } from '../../../ui/table/TableBar.tsx';
import { TableTools } from '../../../ui/table/TableTools.tsx';
import { ToggleChip } from '../../../ui/table/ToggleChip.tsx';
import { useTypedView } from '../../../ui/table/use-typed-view.ts';
import type { MenuItemData, MenuItems } from '../../../ui/menu/menu-items.ts';
import { copyText } from '../../../ui/button/copy.ts';
import { against } from '../model/acts.ts';
import type { Act } from '../model/acts.ts';
import { useActs } from './use-acts.ts';

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

/** The way to the page where people are invited or added. */
function InviteLink() {
  const { label, reason } = useInviteAction();
  if (reason !== undefined) {
    return (
      <Button variant="primary" icon={MailPlus} disabledReason={reason}>
        {label}
      </Button>
    );
  }
  return (
    <Link to="/invitations/new" className={buttonClass({ variant: 'primary' })}>
      <MailPlus />
      {label}
    </Link>
  );
}

interface InvitationsBarProps extends ReturnType<typeof useView> {
  hidden: readonly string[];
  list: ReturnType<typeof useInvitations>;
  counts: Readonly<Record<string, number>> | undefined;
  /** How many temporary members end soon, among all. */
  soon: number;
}

/** Search and states, each with how many it would show; how fresh the list is; its columns. */
function InvitationsBar({ view, hidden, show, type, settle, list, counts, soon }: InvitationsBarProps) {
  const { all, complete, error, asOf, refreshing, refresh } = list;
  return (
    <TableBar
      tools={
        <>
          {all && !complete && <AsOf tone="warn">{count(all.length)} read</AsOf>}
          {all && complete && <AsOf tone={error ? 'bad' : 'ok'}>As of {clockTime(asOf)}</AsOf>}
          <IconButton label="Read again" icon={RefreshCw} pending={refreshing} onClick={refresh} />
          <TableTools
            columns={COLUMNS}
            hidden={hidden}
            onHide={(next) => show({ ...view, hidden: next }, true)}
          />
        </>
      }
    >
      <SearchField
        label="Search invitations"
        placeholder="E-mail or name"
        value={view.q}
        onChange={type}
        onLeave={settle}
      />
      <FilterChip
        label="State"
        options={STATUSES.map((value) => ({
          value,
          label: STATUS_WORDS[value].label,
          count: counts?.[value] ?? 0,
        }))}
        value={view.status}
        onChange={(status) => show({ ...view, status })}
      />
      {(soon > 0 || view.soon) && (
        <ToggleChip
          label={`Ending soon: ${count(soon)}`}
          on={view.soon}
          onChange={(on) => show({ ...view, soon: on })}
        />
      )}
    </TableBar>
  );
}

const route = getRouteApi('/_app/invitations/');

/** The view of the list that the address says, with what is being typed. */
function useView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const said = useMemo(() => readView({ ...search }), [search]);
  return useTypedView({
    said,
    write: (view, replace) => navigate({ to: '.', search: writeView(view), replace }),
  });
}

type Invitations = readonly InvitationInfoResponse[];

interface Items {
  onExtend: (those: Invitations) => void;
  /** Called when something has begun with several. */
  onBegin: () => void;
}

const NOBODY: Record<Act, string> = {
  resend: 'None selected is pending or expired',
  revoke: 'None selected is pending',
  extend: 'None selected has an end to move',
};

/** What can be done with an invitation, or with several that are selected: the same acts with the same reasons. */
function useInvitationItems({ onExtend, onBegin }: Items) {
  const router = useRouter();
  const acts = useActs();
  const may: Record<Act, string | undefined> = {
    resend: useAllowed('resendInvitation').reason,
    revoke: useAllowed('revokeInvitation').reason,
    extend: useAllowed('extendInvitation').reason,
  };

  const itemsFor = (those: Invitations) => {
    const reason = (act: Act): string | undefined => {
      const reasons = those.map((one) => against(act, one));
      const off = reasons.length === 1 ? reasons[0] : NOBODY[act];
      return may[act] ?? (reasons.includes(undefined) ? undefined : off);
    };
    const resend: MenuItemData = {
      label: 'Send again',
      icon: Send,
      disabledReason: reason('resend'),
      onSelect() {
        acts.resend(those);
        onBegin();
      },
    };
    const extend: MenuItemData = {
      label: 'Extend…',
      icon: CalendarPlus,
      disabledReason: reason('extend'),
      onSelect: () => onExtend(those),
    };
    const revoke: MenuItemData = {
      label: 'Revoke…',
      icon: Ban,
      danger: true,
      disabledReason: reason('revoke'),
      onSelect: () => void acts.revoke(those).then((begun) => begun && onBegin()),
    };
    return { resend, extend, revoke };
  };

  return {
    bulk: (those: Invitations): MenuItemData[] => {
      const { resend, extend, revoke } = itemsFor(those);
      return [resend, extend, revoke];
    },
    row: (one: InvitationInfoResponse): MenuItems => {
      const { resend, extend, revoke } = itemsFor([one]);
      const { userId, email } = one;
      const open: MenuItemData = {
        label: 'Open the user',
        icon: UserRound,
        disabledReason: userId ? undefined : 'Nobody has accepted it yet',
        onSelect: () => void (userId && router.navigate({ to: '/users/$userId', params: { userId } })),
      };
      const copy: MenuItemData = { label: 'Copy e-mail', icon: AtSign, onSelect: () => void copyText(email) };
      return [resend, extend, open, copy, 'line', revoke];
    },
  };
}
