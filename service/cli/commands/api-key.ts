import type { Scope } from '../../../contract/generated/types.gen.ts';
import { MAX_API_KEY_DAYS } from '../../../contract/rules/users.ts';
import { disableKey, expireKeys, findLatestKey, insertKey } from '../../areas/tokens/index.ts';
import { change, createHostActor } from '../../kernel/audit/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { createSecret } from '../../kernel/secret.ts';
import { type Command, CommandError, parseEmailArgs } from './command.ts';
import { resolveMembership } from './commands.store.ts';

const SCOPES: Readonly<Record<Scope, true>> = {
  data: true,
  user_management: true,
  publish: true,
  ri_import: true,
  backup: true,
};

/**
 * `api-key EMAIL --scopes "user_management data" [--site SLUG] [--expires-days N] [--replace]`: creates an API key for the user. The
 * secret is shown only once. An active key is turned off only with --replace, because that is final (spec 5.3).
 */
export const createApiKey: Command = async ({ db }, args) => {
  const { email, values } = parseEmailArgs(args, {
    scopes: { type: 'string' },
    site: { type: 'string' },
    'expires-days': { type: 'string' },
    replace: { type: 'boolean', default: false },
  });
  const scopes = parseScopes(values.scopes);
  const days = parseDays(values['expires-days']);
  const { site, userId } = await resolveMembership(db, email, values.site);
  await expireKeys(db, site.site_id, userId);
  return change(db, createHostActor(site.site_id), async (tx, record) => {
    if (!values.replace && (await hasActiveKey(tx, site.site_id, userId))) {
      throw new CommandError(
        `${email} has an active API key on ${site.slug}. --replace turns it off for good, for all programs that use it.`,
      );
    }
    const replaced = await disableKey(tx, site.site_id, userId);
    const secret = createSecret();
    const key = await insertKey(tx, { siteId: site.site_id, userId, secretHash: secret.hash, scopes, days });
    if (!key) throw new CommandError(`${email} has just created an API key`);
    const { clientId, expiresAt } = key;
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

async function hasActiveKey(tx: Tx, siteId: number, userId: number): Promise<boolean> {
  const key = await findLatestKey(tx, siteId, userId);
  return key !== undefined && !key.isExpired;
}

function parseDays(text: string | undefined): number | null {
  if (text === undefined) return null;
  const days = Number(text);
  if (/^\d+$/.test(text) && days >= 1 && days <= MAX_API_KEY_DAYS) return days;
  throw new CommandError(`--expires-days must be a whole number from 1 to ${MAX_API_KEY_DAYS}`);
}

function parseScopes(text: string | undefined): Scope[] {
  const names = [...new Set((text ?? '').split(/[\s,]+/).filter(Boolean))];
  const allScopes = Object.keys(SCOPES).join(', ');
  if (names.length === 0)
    throw new CommandError(`Specify the scopes of the key: --scopes "…" with some of ${allScopes}`);
  return names.map((name) => {
    if (isScope(name)) return name;
    throw new CommandError(`${name} is not a scope. Scopes: ${allScopes}`);
  });
}

const isScope = (name: string): name is Scope => Object.hasOwn(SCOPES, name);
