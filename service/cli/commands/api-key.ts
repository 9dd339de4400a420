import type { Scope } from '../../../contract/generated/types.gen.ts';
import { change, hostActor } from '../../kernel/change.ts';
import { newSecret } from '../../kernel/secret.ts';
import { type Command, CommandError, readArgs } from './command.ts';
import { disableKey, hasKey, insertKey, pickMembership } from './store.ts';

const SCOPES: Readonly<Record<Scope, true>> = {
  data: true,
  user_management: true,
  publish: true,
  ri_import: true,
  backup: true,
};

/**
 * `api-key EMAIL --scopes "user_management data" [--site SLUG] [--replace]`: a new API key for the user. The
 * secret is shown this once. A key that is in use stays unless told otherwise: turning it off is final (spec 5.3).
 */
export const createApiKey: Command = async ({ db }, args) => {
  const { email, values } = readArgs(args, {
    scopes: { type: 'string' },
    site: { type: 'string' },
    replace: { type: 'boolean', default: false },
  });
  const scopes = readScopes(values.scopes);
  const { site, userId } = await pickMembership(db, email, values.site);
  return change(db, hostActor(site.site_id), async (tx, record) => {
    if (!values.replace && (await hasKey(tx, site.site_id, userId))) {
      throw new CommandError(
        `${email} has an active API key on ${site.slug}. --replace turns it off for good, with every connection that uses it.`,
      );
    }
    const replaced = await disableKey(tx, site.site_id, userId);
    const secret = newSecret();
    const clientId = await insertKey(tx, { siteId: site.site_id, userId, secretHash: secret.hash, scopes });
    record({
      action: 'cli.api-key',
      subject: ['user', userId],
      changes: { clientId: [replaced ?? null, clientId], scopes: [null, scopes] },
    });
    return { client_id: clientId, client_secret: secret.plain };
  });
};

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
