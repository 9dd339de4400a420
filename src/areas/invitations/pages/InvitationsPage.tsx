import { useRouter, Link, getRouteApi } from '@tanstack/react-router';
import { Mail, MailX, MailPlus, AtSign, Ban, CalendarPlus, Send, Trash2, UserRound } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import type { InvitationInfoResponse } from '../../../../contract/generated/types.gen.ts';
import { ENDING_SOON_DAYS } from '../../../../contract/rules/people/invitations.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { PagedListAge } from '../../../app/freshness/DataAge.tsx';
import { useRequestedAction } from '../../../app/state/requested-action.ts';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { useDirectory } from '../../../directory/directory.ts';
import { pluralize, formatNumber } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { copyText } from '../../../ui/button/CopyButton.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { MenuItemData, MenuItems } from '../../../ui/menu/menu-items.ts';
import { useShortcut } from '../../../ui/shortcuts/shortcuts.ts';
import { BulkBar } from '../../../ui/table/BulkBar.tsx';
import type { RowId } from '../../../ui/table/columns.ts';
import { FilterChip, ToggleChip } from '../../../ui/table/filter/FilterChips.tsx';
import { useDebouncedView } from '../../../ui/table/use-debounced-search.ts';
import { useMedia } from '../../../ui/use-media.ts';
import { getActionReason } from '../model/actions.ts';
import type { InvitationAction } from '../model/actions.ts';
import { useInvitations } from '../model/query.ts';
import { endsSoon, formatDays } from '../model/terms.ts';
import { useInviteAction } from '../model/use-invite-action.ts';
import {
  findInvitations,
  isFiltered,
  STATUSES,
  parseInvitationsView,
  serializeInvitationsView,
} from '../model/view.ts';
import { COLUMNS, WIDE_COLUMNS, STATUS_LABELS } from './columns.tsx';
import { ExtendDialog } from './ExtendDialog.tsx';
import { NameLookupProvider, useNameLookup } from './name-lookup.tsx';
import { useInvitationActions } from './use-invitation-actions.ts';

const SHORTCUTS = [{ keys: 'n', label: 'Invite people', group: 'Invitations' }];
// Width that fits the whole table beside the navigation.
const ROOMY_MEDIA = '(min-width: 1420px)';
const WIDE_MEDIA = '(min-width: 1600px)';
const HIDDEN_WHEN_NARROW = ['groups'];
const NOTHING_HIDDEN: readonly string[] = [];
const NO_SELECTION: ReadonlySet<RowId> = new Set();
const getId = ({ id }: InvitationInfoResponse) => id;
const getEmail = ({ email }: InvitationInfoResponse) => email;

/** List of all invitations. The view is kept in the URL. */
export function InvitationsPage() {
  const router = useRouter();
  const { allowed, reason } = usePermission('listInvitations');
  useShortcut(SHORTCUTS, () => void router.navigate({ to: '/invitations/new' }));
  if (allowed) return <InvitationList />;
  return (
    <Page title="Invitations">
      <EmptyState icon={MailX} title="You cannot see the invitations of this site" actions={<InviteLink />}>
        {reason}. Users with the Manage Existing Users capability can add people without it.
      </EmptyState>
    </Page>
  );
}

function InvitationList() {
  const { site } = useSession();
  const list = useInvitations(true);
  const { all, complete, error, refreshing, refresh } = list;
  const { groups } = useDirectory();
  const viewState = useInvitationsView();
  const { view, show } = viewState;
  const roomy = useMedia(ROOMY_MEDIA);
  const columns = useMedia(WIDE_MEDIA) ? WIDE_COLUMNS : COLUMNS;
  const hidden = view.hidden ?? (roomy ? NOTHING_HIDDEN : HIDDEN_WHEN_NARROW);
  const [selection, setSelection] = useState(NO_SELECTION);
  const [extending, setExtending] = useState<readonly InvitationInfoResponse[]>();
  const clear = () => setSelection(NO_SELECTION);
  const items = useInvitationItems({ onExtend: setExtending, onStart: clear });
  useRequestedInvitationActions(all, setExtending);
  const names = useNameLookup(all, groups);
  const deferredView = useDeferredValue(view);
  const result = useMemo(
    () => all && findInvitations(all, names.people, deferredView),
    [all, names, deferredView],
  );
  const endingSoon = useMemo(() => all?.filter((one) => endsSoon(one)) ?? [], [all]);
  const pending = useMemo(() => all?.filter(({ status }) => status === 'pending').length, [all]);

  // Without permission and data the page shows what is missing.
  if (error?.status === 403 && all === undefined) throw error;
  const selected = all?.filter(({ id }) => selection.has(id)) ?? [];
  return (
    <Page
      fill
      title="Invitations"
      meta={
        all && complete && `${pluralize(all.length, 'invitation', 'invitations')} · ${pending ?? 0} pending`
      }
      actions={<InviteLink />}
    >
      {endingSoon.length > 0 && !view.endingSoon && (
        <Banner
          tone="warn"
          title={`${pluralize(endingSoon.length, 'temporary membership ends', 'temporary memberships end')} within ${formatDays(ENDING_SOON_DAYS)}`}
          actions={
            <Button size="small" onClick={() => show({ ...view, q: '', status: [], endingSoon: true })}>
              Show {endingSoon.length === 1 ? 'it' : 'them'}
            </Button>
          }
        >
          They lose access automatically unless extended, and are notified before.
        </Banner>
      )}
      <NameLookupProvider names={names}>
        <ListTable
          table="invitations"
          filters={
            <InvitationFilters {...viewState} counts={result?.counts} endingSoonCount={endingSoon.length} />
          }
          tools={<PagedListAge list={{ ...list, size: all?.length }} />}
          onHide={(next) => show({ ...view, hidden: next }, true)}
          label="Invitations"
          columns={columns}
          rows={result?.rows}
          rowId={getId}
          rowLabel={getEmail}
          rowMenu={items.row}
          hidden={hidden}
          selection={selection}
          onSelect={setSelection}
          refetching={refreshing && error !== undefined}
          error={error}
          onRetry={refresh}
          empty={
            <EmptyState icon={Mail} title={`No invitations to ${site.name} yet`} actions={<InviteLink />}>
              Invite users of other sites, permanently or for some days. Create a user for anyone who is not
              on the platform yet.
            </EmptyState>
          }
          onClearFilters={
            isFiltered(view) ? () => show({ ...view, q: '', status: [], endingSoon: false }) : undefined
          }
        />
      </NameLookupProvider>
      {result && (
        <BulkBar
          count={selected.length}
          total={result.rows.length}
          onSelectAll={() => setSelection(new Set(result.rows.map(getId)))}
          onClear={clear}
          actions={items.bulk(selected)}
        />
      )}
      {extending && (
        <ExtendDialog selected={extending} onClose={() => setExtending(undefined)} onStart={clear} />
      )}
    </Page>
  );
}

/** Carries out what the palette or the page of a user requests for one invitation. */
function useRequestedInvitationActions(
  all: Invitations | undefined,
  onExtend: (selected: Invitations) => void,
): void {
  const { resend, revoke } = useInvitationActions();
  const on = (run: (selected: Invitations) => void) =>
    all && ((id: number) => run(all.filter((one) => one.id === id)));
  useRequestedAction('extendInvitation', on(onExtend));
  useRequestedAction(
    'resendInvitation',
    on((selected) => void resend(selected)),
  );
  useRequestedAction(
    'revokeInvitation',
    on((selected) => void revoke(selected)),
  );
}

/** Link to the page for inviting or adding people. */
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

interface InvitationFiltersProps extends ReturnType<typeof useInvitationsView> {
  counts: Readonly<Record<string, number>> | undefined;
  /** Number of memberships that end soon. */
  endingSoonCount: number;
}

/** Search and states with counts. */
function InvitationFilters({ view, show, type, settle, counts, endingSoonCount }: InvitationFiltersProps) {
  return (
    <>
      <SearchField
        label="Search invitations"
        placeholder="E-mail or name"
        value={view.q}
        onChange={type}
        onBlur={settle}
      />
      <FilterChip
        label="State"
        options={STATUSES.map((value) => ({
          value,
          label: STATUS_LABELS[value].label,
          count: counts?.[value] ?? 0,
        }))}
        value={view.status}
        onChange={(status) => show({ ...view, status })}
      />
      {(endingSoonCount > 0 || view.endingSoon) && (
        <ToggleChip
          label={`Ending soon: ${formatNumber(endingSoonCount)}`}
          on={view.endingSoon}
          onChange={(on) => show({ ...view, endingSoon: on })}
        />
      )}
    </>
  );
}

const route = getRouteApi('/_app/invitations/');

/** View of the list from the URL, debounced while typing. */
function useInvitationsView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const urlView = useMemo(() => parseInvitationsView({ ...search }), [search]);
  return useDebouncedView({
    view: urlView,
    write: (view, replace) => navigate({ to: '.', search: serializeInvitationsView(view), replace }),
  });
}

type Invitations = readonly InvitationInfoResponse[];

interface ItemsOptions {
  onExtend: (selected: Invitations) => void;
  /** Called when an action on several invitations has started. */
  onStart: () => void;
}

const NONE_ACTIONABLE: Record<InvitationAction, string> = {
  resend: 'None of the selected invitations is pending or expired',
  revoke: 'None of the selected invitations is pending',
  extend: 'None of the selected invitations can be extended',
  delete: 'The selected invitations are pending, or their temporary memberships last',
};

/** Menu items for one invitation and for a selection. */
function useInvitationItems({ onExtend, onStart }: ItemsOptions) {
  const router = useRouter();
  const actions = useInvitationActions();
  const missingCapabilities: Record<InvitationAction, string | undefined> = {
    resend: usePermission('resendInvitation').reason,
    revoke: usePermission('revokeInvitation').reason,
    extend: usePermission('extendInvitation').reason,
    delete: usePermission('deleteInvitation').reason,
  };

  const itemsFor = (selected: Invitations) => {
    const reason = (action: InvitationAction): string | undefined => {
      const reasons = selected.map((one) => getActionReason(action, one));
      const off = reasons.length === 1 ? reasons[0] : NONE_ACTIONABLE[action];
      return missingCapabilities[action] ?? (reasons.includes(undefined) ? undefined : off);
    };
    const resend: MenuItemData = {
      label: 'Send again',
      icon: Send,
      disabledReason: reason('resend'),
      onSelect: () => void actions.resend(selected).then((begun) => begun && onStart()),
    };
    const extend: MenuItemData = {
      label: 'Extend…',
      icon: CalendarPlus,
      disabledReason: reason('extend'),
      onSelect: () => onExtend(selected),
    };
    const revoke: MenuItemData = {
      label: 'Revoke…',
      icon: Ban,
      danger: true,
      disabledReason: reason('revoke'),
      onSelect: () => void actions.revoke(selected).then((begun) => begun && onStart()),
    };
    const remove: MenuItemData = {
      label: 'Delete the record…',
      icon: Trash2,
      danger: true,
      disabledReason: reason('delete'),
      onSelect: () => void actions.delete(selected).then((begun) => begun && onStart()),
    };
    return { resend, extend, revoke, remove };
  };

  return {
    bulk: (selected: Invitations): MenuItemData[] => {
      const { resend, extend, revoke, remove } = itemsFor(selected);
      const label = selected.length === 1 ? remove.label : 'Delete the records…';
      return [resend, extend, revoke, { ...remove, label }];
    },
    row: (one: InvitationInfoResponse): MenuItems => {
      const { resend, extend, revoke, remove } = itemsFor([one]);
      const { userId, email } = one;
      const open: MenuItemData = {
        label: 'Open the user',
        icon: UserRound,
        disabledReason: userId ? undefined : 'Not accepted yet',
        onSelect: () => void (userId && router.navigate({ to: '/users/$userId', params: { userId } })),
      };
      const copy: MenuItemData = { label: 'Copy e-mail', icon: AtSign, onSelect: () => void copyText(email) };
      return [resend, extend, open, copy, 'line', revoke, remove];
    },
  };
}
