import type { InviteeCheck } from '../../../contract/generated/types.gen.ts';
import { validateDuration } from '../../../contract/rules/people/invitations.ts';
import { badRequest, forbidden, type FieldError } from '../../kernel/api-error.ts';
import { getActor, change } from '../../kernel/audit/change.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { consumeLinkRateLimit } from '../../kernel/auth/throttle.store.ts';
import { normalizeEmail } from '../../kernel/email.ts';
import { noContent, ok, type Handlers, type Call } from '../../kernel/http/handler.ts';
import { parsePage } from '../../kernel/http/parameters.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { startJob } from '../jobs/index.ts';
import { hasContactTarget } from '../relationship-intelligence/index.ts';
import { getSite, type Site } from '../sites/index.ts';
import { acceptInvitation, invitationNotFound } from './accept.ts';
import { addExistingMember } from './add-existing.ts';
import { isInDomain } from './domain.ts';
import { extendInvitation } from './extend.ts';
import * as store from './invitations.store.ts';
import { createInvitation, deleteInvitation, resendInvitation, revokeInvitation } from './invite.ts';
import { describeMissingCapability, type InviteeItem } from './job-kinds.ts';
import {
  checkAutoContact,
  findIneligibility,
  isEmailAddress,
  throttleAddressChecks,
  throttleInvitations,
  toInvitationInfo,
} from './rules.ts';

async function addExistingUser(call: AddCall): Promise<typeof noContent> {
  const { db, caller, body } = call;
  const errors = checkAutoContact(body, await hasContactTarget(db, caller.siteId));
  if (errors.length > 0) throw badRequest(errors);
  const site = await getSite(db, caller.siteId);
  const ineligibility = findIneligibility(site, body.email);
  if (ineligibility) throw ineligibility;
  await throttleInvitations(db, caller);
  await change(db, getActor(call), (tx, record) => addExistingMember(tx, call, site, record), {
    lockSite: true,
  });
  return noContent;
}

type Operations =
  | 'inviteExistingUser'
  | 'addExistingUser'
  | 'addExistingUserAlias'
  | 'listInvitations'
  | 'checkInvitees'
  | 'resendInvitation'
  | 'revokeInvitation'
  | 'deleteInvitation'
  | 'extendInvitation'
  | 'startInvitations'
  | 'startInvitationExtensions'
  | 'startInvitationRevocations'
  | 'startInvitationDeletions'
  | 'inspectInvitation'
  | 'acceptInvitation';

export const invitationHandlers: Handlers<Operations> = {
  async inviteExistingUser(call) {
    const { db, caller, body } = call;
    const errors = checkTerms(body, await hasContactTarget(db, caller.siteId));
    if (errors.length > 0) throw badRequest(errors);
    await throttleInvitations(db, caller);
    await change(db, getActor(call), (tx, record) => createInvitation(tx, call, record));
    return ok(undefined);
  },

  addExistingUser,
  addExistingUserAlias: addExistingUser,

  async listInvitations({ db, caller, query }) {
    const found = await store.listInvitations(db, caller.siteId, query, parsePage(query));
    return ok(found.map(toInvitationInfo));
  },

  async checkInvitees({ db, caller, body }) {
    await throttleAddressChecks(db, caller, body.emails.length);
    const site = await getSite(db, caller.siteId);
    const invitees = await store.findInvitees(db, caller.siteId, normalizeAddresses(body.emails));
    return ok(checkAddresses(body.emails, invitees, { site, caller }));
  },

  async resendInvitation(call) {
    await throttleInvitations(call.db, call.caller);
    await change(call.db, getActor(call), (tx, record) => resendInvitation(tx, call, record));
    return noContent;
  },

  async revokeInvitation(call) {
    const { caller, params } = call;
    await change(call.db, getActor(call), (tx, record) =>
      revokeInvitation(tx, { caller, id: params.id }, record),
    );
    return noContent;
  },

  async deleteInvitation(call) {
    const { caller, params } = call;
    await change(call.db, getActor(call), (tx, record) =>
      deleteInvitation(tx, { caller, id: params.id }, record),
    );
    return noContent;
  },

  async extendInvitation(call) {
    const { caller, params, body } = call;
    const extended = await change(call.db, getActor(call), (tx, record) =>
      extendInvitation(tx, { caller, id: params.id, days: body.days }, record),
    );
    return ok(toInvitationInfo(extended));
  },

  async startInvitations(call) {
    const items = toInviteeItems(call.body, await hasContactTarget(call.db, call.caller.siteId));
    const actions = [...new Set(items.map(({ action }) => action))];
    for (const action of actions) {
      const message = describeMissingCapability(action, call.caller);
      if (message !== undefined) throw forbidden(message);
    }
    return startJob(call, { kind: 'invitations.create', parameters: { actions }, items });
  },

  startInvitationExtensions: (call) =>
    startJob(call, {
      kind: 'invitations.extend',
      parameters: { days: call.body.days },
      items: toInvitationItems(call.body.invitationIds),
    }),

  startInvitationRevocations: (call) =>
    startJob(call, {
      kind: 'invitations.revoke',
      parameters: {},
      items: toInvitationItems(call.body.invitationIds),
    }),

  startInvitationDeletions: (call) =>
    startJob(call, {
      kind: 'invitations.delete',
      parameters: {},
      items: toInvitationItems(call.body.invitationIds),
    }),

  async inspectInvitation({ db, body, origin }) {
    await consumeLinkRateLimit(db, origin.ip, 'opened');
    const pending = await store.findPendingInvitation(db, hashSecret(body.token));
    if (!pending) throw invitationNotFound();
    const site = await getSite(db, pending.siteId);
    return ok({
      email: pending.email,
      siteName: site.name,
      type: pending.type,
      duration: pending.duration,
      invitedByName: pending.inviter?.name ?? null,
      expiresDate: pending.expiresDate.toISOString(),
    });
  },

  async acceptInvitation({ db, body, origin }) {
    await consumeLinkRateLimit(db, origin.ip, 'opened');
    const pending = await store.findPendingInvitation(db, hashSecret(body.token));
    if (!pending) throw invitationNotFound();
    const { siteId, userId, email } = pending;
    const accepted = await change(
      db,
      { siteId, userId, email, origin },
      (tx, record) => acceptInvitation(tx, pending, body.token, record),
      { lockSite: true },
    );
    return ok(accepted);
  },
};

/** Call of either path of the operation (spec 4.2 rule 2). */
type AddCall = Pick<Call<'addExistingUser'>, 'db' | 'caller' | 'body' | 'origin' | 'services'>;

type InvitationTerms = Call<'inviteExistingUser'>['body'];

/** Errors of the terms of an invitation that need no lookup. */
function checkTerms(terms: InvitationTerms, hasContacts: boolean): FieldError[] {
  const durationError = validateDuration(terms.type, terms.duration);
  return [
    ...(durationError === undefined ? [] : [{ path: 'duration', message: durationError }]),
    ...checkAutoContact(terms, hasContacts),
  ];
}

/** Items of a job that changes invitations alike, each invitation once. */
const toInvitationItems = (ids: readonly number[]): { invitationId: number }[] =>
  [...new Set(ids)].map((invitationId) => ({ invitationId }));

/**
 * Items of a job that invites people.
 * @throws ApiError 400 for no people, invalid terms, and an address that occurs twice
 */
function toInviteeItems(
  { invite = [], add = [], resend = [] }: Call<'startInvitations'>['body'],
  hasContacts: boolean,
): InviteeItem[] {
  const items: InviteeItem[] = [
    ...invite.map((terms) => ({ action: 'invite', ...terms }) as const),
    ...add.map((terms) => ({ action: 'add', ...terms }) as const),
    ...toInvitationItems(resend).map((item) => ({ action: 'resend', ...item }) as const),
  ];
  if (items.length === 0) throw badRequest([{ path: 'invite', message: 'names nobody' }]);
  const errors = [
    ...prefixErrors('invite', invite, (terms) => checkTerms(terms, hasContacts)),
    ...prefixErrors('add', add, (terms) => checkAutoContact(terms, hasContacts)),
    ...findRepeatedAddresses({ invite, add }),
  ];
  if (errors.length > 0) throw badRequest(errors);
  return items;
}

const prefixErrors = <Item>(
  path: string,
  items: readonly Item[],
  check: (item: Item) => FieldError[],
): FieldError[] =>
  items.flatMap((item, index) =>
    check(item).map((error) => ({ ...error, path: `${path}.${index}.${error.path}` })),
  );

/** Errors for addresses that occur twice: the second item would always be refused. */
function findRepeatedAddresses(lists: Record<'invite' | 'add', readonly { email: string }[]>): FieldError[] {
  const seen = new Set<string>();
  return (['invite', 'add'] as const).flatMap((path) =>
    prefixErrors(path, lists[path], ({ email }) => {
      const { key } = normalizeEmail(email);
      const isRepeated = seen.has(key);
      seen.add(key);
      return isRepeated ? [{ path: 'email', message: `${email} occurs twice` }] : [];
    }),
  );
}

/** The distinct valid addresses of a list, in normalized form; the others are answered without a lookup. */
const normalizeAddresses = (emails: readonly string[]): string[] => [
  ...new Set(
    emails.filter((email) => isEmailAddress(email.trim())).map((email) => normalizeEmail(email).key),
  ),
];

/** The possible action for each address, in the order of the list. */
function checkAddresses(
  emails: readonly string[],
  invitees: ReadonlyMap<string, store.Invitee>,
  context: { site: Site; caller: Caller },
): InviteeCheck[] {
  const firstIndexes = new Map<string, number>();
  return emails.map((email, index) => {
    if (!isEmailAddress(email.trim()))
      return buildCheck(email, 'not-an-address', 'Is not an e-mail address.');
    const { key } = normalizeEmail(email);
    const firstIndex = firstIndexes.get(key);
    if (firstIndex !== undefined)
      return buildCheck(email, 'repeated', `Already in the list at position ${firstIndex + 1}.`);
    firstIndexes.set(key, index);
    return checkAddress(email, key, invitees.get(key), context);
  });
}

const buildCheck = (
  email: string,
  outcome: InviteeCheck['outcome'],
  message: string,
  ids: Pick<InviteeCheck, 'userId' | 'invitationId'> = {},
): InviteeCheck => ({ email, outcome, message, userId: null, invitationId: null, ...ids });

function checkAddress(
  email: string,
  key: string,
  invitee: store.Invitee | undefined,
  context: { site: Site; caller: Caller },
): InviteeCheck {
  if (invitee && invitee.isActive !== null) {
    const message = `Already a user of this site${invitee.isActive ? '' : ', but inactive'}.`;
    return buildCheck(email, 'member', message, { userId: invitee.userId });
  }
  const mayInvite = context.caller.capabilities.has('Manage Users');
  if (mayInvite && invitee && invitee.pendingId !== null)
    return buildCheck(email, 'invited', 'Already invited: send the invitation again or revoke it.', {
      invitationId: invitee.pendingId,
    });
  const obstacle = findObstacle(key, context);
  // Callers who cannot invite must not learn whether an account exists for an address that they cannot add (T12).
  if (!mayInvite && obstacle !== undefined)
    return buildCheck(email, 'unknown', `Cannot be added: ${obstacle}.`);
  if (!invitee) return buildCheck(email, 'unknown', 'Nobody on this platform has this address.');
  if (obstacle !== undefined)
    return buildCheck(
      email,
      'invitable',
      `Has an account on this platform and can be invited, but not added without confirmation: ${obstacle}.`,
    );
  const options = mayInvite
    ? 'can be added without confirmation, or invited'
    : 'can be added without confirmation';
  return buildCheck(email, 'addable', `Has an account on this platform and ${options}.`);
}

/**
 * The reason why the address cannot be added without confirmation (spec 4.2 rule 2), regardless of who has it;
 * undefined if it can.
 */
function findObstacle(key: string, { site, caller }: { site: Site; caller: Caller }): string | undefined {
  if (!caller.capabilities.has('Manage Existing Users'))
    return 'it requires the capability Manage Existing Users';
  if (!site.mayManageExistingUsers) return 'this site may not manage existing users';
  if (site.dedicatedDomain === null) return 'this site has no dedicated domain';
  if (!isInDomain(key, site.dedicatedDomain))
    return `the address does not belong to ${site.dedicatedDomain}, the dedicated domain of this site`;
  return undefined;
}
