import type { NewUserInfo } from '../../../contract/generated/types.gen.ts';
import type { Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normaliseEmail } from '../../kernel/email.ts';
import { invalid } from '../../kernel/http/errors.ts';
import type { Call } from '../../kernel/http/handler.ts';
import { checkGroups, memberAdded } from '../members/index.ts';
import { mailPasswordLink } from './password-mail.ts';
import { addressTaken } from './rules.ts';
import * as store from './store.ts';

/**
 * Creates account and membership, and leaves the mail with the link in the outbox where nobody gave a password
 * (spec 4.2 rule 1).
 * @throws ApiError 400 unknown groups, 403 groups beyond the caller, 409 a known address
 */
export async function createUser(
  tx: Tx,
  call: Call<'createUser'>,
  made: {
    info: NewUserInfo;
    passwordHash: string | null;
    site: { siteId: number; name: string; identityMode: string };
  },
  record: Recorder,
): Promise<number> {
  const { info, passwordHash, site } = made;
  const { caller } = call;
  const { email, key } = normaliseEmail(info.email);
  const firstName = info.firstName.trim();
  const groups = [...new Set(info.groups)];
  const faults = await checkGroups(tx, caller, groups, (index) => `groups.${index}`);
  if (faults.length > 0) throw invalid(faults);
  const userId = await store.insertAccount(tx, caller.siteId, {
    email,
    emailKey: key,
    firstName,
    lastName: info.lastName.trim(),
    passwordHash,
    federationId: info.federationId ?? null,
  });
  if (userId === undefined) throw addressTaken(email, await store.findOwner(tx, caller.siteId, key));
  await store.insertMembership(tx, caller.siteId, userId, caller.userId, info);
  await memberAdded(tx, caller.siteId, { userId, groupIds: groups }, 'user.create', record);
  if (passwordHash === null && site.identityMode === 'password')
    await mailPasswordLink(tx, call.services.publicUrl, { userId, email, firstName, site });
  return userId;
}
