import { MOST_KEY_DAYS } from '../../../contract/rules/api-keys.ts';
import type { Scope } from '../../../contract/generated/types.gen.ts';
import { disableKey, endExpiredKeys, findKey, insertKey } from '../../areas/tokens/index.ts';
import { change, hostActor } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { newSecret } from '../../kernel/secret.ts';
import { type Command, CommandError, readArgs } from './command.ts';
import { pickMembership } from './store.ts';

const SCOPES: Readonly<Record<Scope, true>> = {
  data: true,
  user_management: true,
  publish: true,
  ri_import: true,
  backup: true,
};

/**
 * `api-key EMAIL --scopes "user_management data" [--site SLUG] [--expires-days N] [--replace]`: a new API
 * key for the user, which does not expire unless told otherwise. The secret is shown this once. A key that is in use stays unless told otherwise: turning it off is final (spec 5.3).
 */
export const createApiKey: Command = async ({ db }, args) => {
  const { email, values } = readArgs(args, {
    scopes: { type: 'string' },
    site: { type: 'string' },
    'expires-days': { type: 'string' },
    replace: { type: 'boolean', default: false },
  });
  const scopes = readScopes(values.scopes);
  const days = readDays(values['expires-days']);
  const { site, userId } = await pickMembership(db, email, values.site);
  await endExpiredKeys(db, site.site_id, userId);
  return change(db, hostActor(site.site_id), async (tx, record) => {
    if (!values.replace && (await hasKey(tx, site.site_id, userId))) {
      throw new CommandError(
        `${email} has an active API key on ${site.slug}. --replace turns it off for good, with every connection that uses it.`,
      );
    }
    const replaced = await disableKey(tx, site.site_id, userId);
    const secret = newSecret();
    const made = await insertKey(tx, { siteId: site.site_id, userId, secretHash: secret.hash, scopes, days });
    if (!made) throw new CommandError(`${email} has turned on an API key at this moment`);
    const { clientId, expiresAt } = made;
    record({
      action: 'cli.api-key',
      subject: ['user', userId],
      changes: {
        clientId: [replaced ?? null, clientId],
        scopes: [null, scopes],
        apiKeyExpiresDate: [null, expiresAt],
      },
    });
    return {
      client_id: clientId,
      client_secret: secret.plain,
      ...(expiresAt && { expires: expiresAt.toISOString() }),
    };
  });
};

async function hasKey(tx: Tx, siteId: number, userId: number): Promise<boolean> {
  const key = await findKey(tx, siteId, userId);
  return key !== undefined && !key.isExpired;
}

function readDays(text: string | undefined): number | null {
  if (text === undefined) return null;
  const days = Number(text);
  if (/^\d+$/.test(text) && days >= 1 && days <= MOST_KEY_DAYS) return days;
  throw new CommandError(`--expires-days is a whole number from 1 to ${MOST_KEY_DAYS}`);
}

function readScopes(text: string | undefined): Scope[] {
  const names = [...new Set((text ?? '').split(/[\s,]+/).filter(Boolean))];
  const all = Object.keys(SCOPES).join(', ');
  if (names.length === 0) throw new CommandError(`Say what the key is for: --scopes "…" with some of ${all}`);
  return names.map((name) => {
    if (isScope(name)) return name;
    throw new CommandError(`${name} is not a scope. Scopes: ${all}`);
  });
}

const isScope = (name: string): name is Scope => Object.hasOwn(SCOPES, name);
