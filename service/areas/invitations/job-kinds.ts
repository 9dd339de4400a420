import type {
  AddExistingUserRequestVm,
  Capability,
  InviteExistingUserRequestVm,
} from '../../../contract/generated/types.gen.ts';
import type { ApiError } from '../../kernel/api-error.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import {
  defineJobKind,
  type ItemOutcome,
  type JobBatch,
  type StoredItems,
} from '../../kernel/jobs/job-kind.ts';
import { runEach } from '../../kernel/jobs/run-each.ts';
import { pluralize } from '../../kernel/numbers.ts';
import { getSite, type Site } from '../sites/index.ts';
import { addExistingMember } from './add-existing.ts';
import { extendInvitation } from './extend.ts';
import * as store from './invitations.store.ts';
import { createInvitation, deleteInvitation, resendInvitation, revokeInvitation } from './invite.ts';
import { findIneligibility, InvitationRefusal, throttleInvitations } from './rules.ts';

/** A person to invite or add, or an invitation to send again: the input of the single operation. */
export type InviteeItem =
  | ({ action: 'invite' } & InviteExistingUserRequestVm)
  | ({ action: 'add' } & AddExistingUserRequestVm)
  | { action: 'resend'; invitationId: number };
type InviteeAction = InviteeItem['action'];

/** Capabilities of the single operations. */
const CAPABILITY_BY_ACTION: Record<InviteeAction, Capability> = {
  invite: 'Manage Users',
  add: 'Manage Existing Users',
  resend: 'Manage Users',
};

/** The message for a caller who may not do this; undefined for one who may. */
export const describeMissingCapability = (
  action: InviteeAction,
  { capabilities }: Caller,
): string | undefined =>
  capabilities.has(CAPABILITY_BY_ACTION[action])
    ? undefined
    : `User capabilities are required: ${CAPABILITY_BY_ACTION[action]}`;

const formatPeople = (count: number): string => pluralize(count, 'person', 'people');
const formatInvitations = (count: number): string => pluralize(count, 'invitation', 'invitations');

/** What the job asks: `Invite 9 people`, or `Invite or add 12 people`. */
async function describeInvitees(items: StoredItems<InviteeItem>): Promise<string> {
  const people = formatPeople(items.length);
  const actions = new Set((await items.listDistinct('action')).map(({ action }) => action));
  if (actions.size > 1) {
    const verbs = actions.has('add') ? 'Invite or add' : 'Invite';
    return `${verbs} ${people}${actions.has('resend') ? ', some of them again' : ''}`;
  }
  if (actions.has('resend')) return `Send ${formatInvitations(items.length)} again`;
  return `${actions.has('add') ? 'Add' : 'Invite'} ${people}`;
}

/**
 * Job that invites people, adds existing users and sends invitations again. At the limit of invitations in an hour it waits; a person
 * who was mailed too often fails. Items are counted as the single operations count them: addresses without an account too, but not
 * those that are refused from the address alone (T12, T13).
 */
export const invitationsJob = defineJobKind<{ actions: readonly InviteeAction[] }, InviteeItem>({
  kind: 'invitations.create',
  operation: 'startInvitations',
  labels: store.INVITEE_LABELS,
  describe: (_context, _parameters, items) => describeInvitees(items),
  // As adding a single user.
  locksSite: ({ actions }) => actions.includes('add'),
  async run(batch) {
    const { tx, caller, items } = batch;
    const site = await getSite(tx, caller.siteId);
    const refusals = new Map(
      items.flatMap((item) => {
        const reason = findEarlyRefusal(item, caller, site);
        return reason === undefined ? [] : [[item, reason] as const];
      }),
    );
    const counted = items.length - refusals.size;
    if (counted > 0) await throttleInvitations(tx, caller, counted);
    await store.lockInvitees(tx, caller.siteId, {
      emails: items.flatMap((item) => (item.action === 'resend' ? [] : [item.email])),
      invitationIds: items.flatMap((item) => (item.action === 'resend' ? [item.invitationId] : [])),
    });
    return runEach(batch, describeRefusal, async (item, record) => {
      const refusal = refusals.get(item);
      if (refusal !== undefined) return { state: 'failed', reason: refusal.replace(/\.$/, '') };
      return inviteOne({ ...batch, record, item, site });
    });
  },
  invert({ actions }, done) {
    const items = done.flatMap(({ before }) => before ?? []);
    // Added users and mails that were sent again stay.
    if (!actions.includes('invite') || (items.length === 0 && done.length > 0)) return undefined;
    return { kind: 'invitations.revoke', parameters: {}, items };
  },
});

/** Why an item is refused without a lookup of its address. */
function findEarlyRefusal(item: InviteeItem, caller: Caller, site: Site): string | undefined {
  return (
    describeMissingCapability(item.action, caller) ??
    (item.action === 'add' ? findIneligibility(site, item.email)?.reason : undefined)
  );
}

type InviteeStep = Pick<JobBatch<object, InviteeItem>, 'tx' | 'caller' | 'services' | 'record'> & {
  item: InviteeItem;
  site: Site;
};

async function inviteOne({ tx, caller, services, record, item, site }: InviteeStep): Promise<ItemOutcome> {
  if (item.action === 'invite') {
    const invitationId = await createInvitation(tx, { caller, services, body: item }, record);
    return { state: 'done', before: { invitationId } };
  }
  if (item.action === 'add') await addExistingMember(tx, { caller, services, body: item }, site, record);
  else await resendInvitation(tx, { caller, services, params: { id: item.invitationId } }, record);
  return { state: 'done' };
}

/** Why a single operation refuses an item, in words. */
function getReason(error: ApiError): string {
  if (error instanceof InvitationRefusal) return error.reason.replace(/\.$/, '');
  const messages = new Set(error.fields.map(({ message }) => message));
  return messages.size > 0 ? [...messages].join('; ') : error.message.replace(/\.$/, '');
}

const describeRefusal = (error: ApiError): ItemOutcome => ({ state: 'failed', reason: getReason(error) });

interface InvitationItem {
  invitationId: number;
}

/** Job that extends invitations, or the temporary memberships that came from them. */
export const extensionsJob = defineJobKind<{ days: number }, InvitationItem>({
  kind: 'invitations.extend',
  operation: 'startInvitationExtensions',
  labels: store.INVITATION_LABELS,
  describe: (_context, { days }, items) =>
    `Extend ${formatInvitations(items.length)} by ${pluralize(days, 'day', 'days')}`,
  locksSite: () => false,
  async run(batch) {
    const { tx, caller, parameters, items } = batch;
    await lockInvitees(tx, caller, items);
    return runEach(batch, describeChange, async ({ invitationId }, record) => {
      await extendInvitation(tx, { caller, id: invitationId, days: parameters.days }, record);
      return { state: 'done' };
    });
  },
});

/** Job that revokes pending invitations; also the inverse of inviting. */
export const revocationsJob = defineJobKind<object, InvitationItem>({
  kind: 'invitations.revoke',
  operation: 'startInvitationRevocations',
  labels: store.INVITATION_LABELS,
  describe: (_context, _parameters, items) => `Revoke ${formatInvitations(items.length)}`,
  locksSite: () => false,
  async run(batch) {
    const { tx, caller, items } = batch;
    await lockInvitees(tx, caller, items);
    return runEach(batch, describeChange, async ({ invitationId }, record) => {
      await revokeInvitation(tx, { caller, id: invitationId }, record);
      return { state: 'done' };
    });
  },
});

/** Job that deletes the records of invitations that are no longer pending. */
export const deletionsJob = defineJobKind<object, InvitationItem>({
  kind: 'invitations.delete',
  operation: 'startInvitationDeletions',
  labels: store.INVITATION_LABELS,
  describe: (_context, _parameters, items) =>
    `Delete ${pluralize(items.length, 'record of an invitation', 'records of invitations')}`,
  locksSite: () => false,
  async run(batch) {
    const { tx, caller, items } = batch;
    await lockInvitees(tx, caller, items);
    return runEach(batch, describeChange, async ({ invitationId }, record) => {
      await deleteInvitation(tx, { caller, id: invitationId }, record);
      return { state: 'done' };
    });
  },
});

const lockInvitees = (
  tx: JobBatch<object, InvitationItem>['tx'],
  { siteId }: Caller,
  items: readonly InvitationItem[],
): Promise<void> =>
  store.lockInvitees(tx, siteId, {
    emails: [],
    invitationIds: items.map(({ invitationId }) => invitationId),
  });

/** The outcome of a refused change; an invitation whose state has changed since it was chosen is a conflict. */
const describeChange = (error: ApiError): ItemOutcome => ({
  state: error.status === 404 || error.status === 409 ? 'conflict' : 'failed',
  reason: getReason(error),
});
