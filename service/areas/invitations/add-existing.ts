import type { Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normaliseEmail } from '../../kernel/email.ts';
import { forbidden, invalid } from '../../kernel/http/errors.ts';
import type { Call } from '../../kernel/http/handler.ts';
import { addedMail } from '../../kernel/mail/messages.ts';
import { queueMail } from '../../kernel/mail/store.ts';
import { memberAdded } from '../members/index.ts';
import type { Site } from '../sites/index.ts';
import { isOfDomain } from './domain.ts';
import { insertMember } from './members.store.ts';
import * as rules from './rules.ts';
import * as store from './store.ts';

/** Both paths of the operation (spec 4.2 rule 2). */
export type Add = Pick<Call<'addExistingUser'>, 'db' | 'caller' | 'body' | 'origin' | 'services'>;

/**
 * Whether this site may add the address at all: answered from the address alone, before anybody looks whether somebody
 * has it, so that a refusal tells nothing about people of other sites (T12).
 * @throws ApiError 403 for a site that may not (spec 5.6), 400 for an address beyond its dedicated domain (spec 4.2 rule 2)
 */
export function requireEligible(site: Site, email: string): void {
  if (!site.mayManageExistingUsers)
    throw forbidden('This site may not manage existing users. Invite the person instead.');
  if (isOfDomain(email, site.dedicatedDomain)) return;
  const why =
    site.dedicatedDomain === null
      ? 'cannot be added: this site has no dedicated domain'
      : `is not of ${site.dedicatedDomain}, the dedicated domain of this site`;
  throw invalid([{ path: 'email', message: `${why}. Invite the person instead` }]);
}

/**
 * Adds somebody with an account without their confirmation; an invitation that waits is revoked by it.
 * @throws ApiError 400, 403, 404, 409 and 429 as the contract lists them
 */
export async function addExisting(tx: Tx, call: Add, site: Site, record: Recorder): Promise<void> {
  const { caller, body } = call;
  const { siteId } = caller;
  const { email, key } = normaliseEmail(body.email);
  const person = await store.lockPerson(tx, key);
  const groupIds = [...new Set(body.groups)];
  const faults = [
    ...(await rules.checkInvitationGroups(tx, caller, groupIds)),
    ...(await rules.mappedContactFaults(tx, siteId, body.mappedContactId)),
  ];
  if (faults.length > 0) throw invalid(faults);
  if (!person) throw rules.nobodyHas(email);
  const { userId } = person;
  const { isActive, pendingId } = await store.standingOf(tx, siteId, userId);
  const member =
    isActive === null &&
    (await insertMember(tx, {
      siteId,
      userId,
      userEntryId: body.mappedContactId ?? null,
      by: caller.userId,
      invitationId: null,
      duration: null,
    }));
  if (!member) throw rules.memberAlready(email, { userId, isActive: isActive ?? true });
  if (pendingId !== null && (await store.revoke(tx, siteId, pendingId)))
    record({
      action: 'invitation.revoke',
      subject: ['invitation', pendingId],
      changes: { status: ['pending', 'revoked'] },
    });
  await memberAdded(tx, siteId, { userId, groupIds }, 'user.add-existing', record);
  await rules.countMailTo(tx, siteId, userId);
  const by = await store.getPerson(tx, caller.userId);
  const mail = addedMail({
    firstName: person.firstName,
    siteName: site.name,
    by: `${by.firstName} ${by.lastName}`,
    link: call.services.publicUrl,
  });
  await queueMail(tx, { siteId, to: person.email, hours: 24, ...mail });
}
