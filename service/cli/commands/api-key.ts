import type { Scope } from '../../../contract/generated/types.gen.ts';
import { MAX_API_KEY_DAYS } from '../../../contract/rules/people/users.ts';
import { disableKey, expireKeys, findLatestKey, insertKey } from '../../areas/tokens/index.ts';
import { change, createHostActor } from '../../kernel/audit/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { createSecret } from '../../kernel/secret.ts';
import { CommandError, defineCommand, rejectArguments, requireEmail } from './command.ts';
import { findActiveKey, listKeys, resolveMembership, resolveSite } from './commands.store.ts';

const SCOPES: Readonly<Record<Scope, true>> = {
  data: true,
  user_management: true,
  publish: true,
  ri_import: true,
  backup: true,
};

/** Creates an API key. An active key is turned off only with --replace, because that is final (spec 5.3). */
export const createApiKey = defineCommand({
  name: 'api-key',
  args: '<email>',
  summary: 'Create an API key; its secret is printed only once',
  options: {
    scopes: { type: 'string', value: 'list', description: 'such as "user_management data"' },
    site: { type: 'string', value: 'slug', description: 'site, if the user is a member of several' },
    'expires-days': { type: 'string', value: 'days', description: 'days until the key ends' },
    replace: { type: 'boolean', description: "turn off the user's active key for good" },
  },
  async run({ db }, args, values) {
    const email = requireEmail(args);
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
      const key = await insertKey(tx, {
        siteId: site.site_id,
        userId,
        secretHash: secret.hash,
        scopes,
        days,
      });
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
  },
});

/** Lists the keys that can be used, with their last use. */
export const showKeys = defineCommand({
  name: 'keys list',
  args: '[email]',
  summary: 'List the API keys that can be used',
  options: {
    site: { type: 'string', value: 'slug', description: 'only keys of this site' },
  },
  async run({ db }, args, values) {
    const email = args.length === 0 ? undefined : requireEmail(args);
    const siteId = values.site === undefined ? undefined : (await resolveSite(db, values.site)).site_id;
    return listKeys(db, { email, siteId });
  },
});

/** Turns a key off for good and ends its access tokens. */
export const revokeKey = defineCommand({
  name: 'keys revoke',
  args: '<client-id>',
  summary: 'Turn off an API key for good, with its access tokens',
  options: {},
  async run({ db }, [text = '', ...rest]) {
    rejectArguments(rest);
    const clientId = Number(text);
    if (!/^\d{1,9}$/.test(text))
      throw new CommandError('Give the client id of one key; keys list prints them');
    const key = await findActiveKey(db, clientId);
    if (!key) throw new CommandError(`${clientId} is not an API key that can be used`);
    return change(db, createHostActor(key.siteId), async (tx, record) => {
      const disabled = await disableKey(tx, key.siteId, key.userId);
      if (disabled !== clientId) throw new CommandError(`${clientId} was turned off a moment ago`);
      record({
        action: 'cli.key-revoke',
        subject: ['user', key.userId],
        changes: { clientId: [clientId, null] },
      });
      return { clientId, email: key.email, site: key.site };
    });
  },
});

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
