import { parseArgs } from 'node:util';
import { normalizeDomain } from '../../areas/invitations/index.ts';
import { diffProperties, change, createHostActor } from '../../kernel/audit/change.ts';
import { type Command, CommandError, parseOrReject } from './command.ts';
import { listSites, lockSite, resolveSite, updateSite, type SiteRow } from './commands.store.ts';

type SiteWithMembers = SiteRow & { members: number };

const formatSite = (site: SiteWithMembers) => ({
  slug: site.slug,
  name: site.name,
  members: site.members,
  identityMode: site.identity_mode,
  dedicatedDomain: site.dedicated_domain,
  existingUsers: site.may_manage_existing_users ? 'allow' : 'deny',
});

/** `site list`: lists all sites. */
export const listAllSites: Command = async ({ db }) => (await listSites(db)).map(formatSite);

/** `site show SLUG`: prints one site. */
export const showSite: Command = async ({ db }, args) => {
  const { slug } = parseSiteArgs(args);
  return formatSite(await resolveSite(db, slug));
};

/**
 * `site set SLUG [--dedicated-domain DOMAIN | --no-dedicated-domain] [--existing-users allow|deny] [--sign-in password]`: sets whether
 * the site may add users of other sites without their confirmation and from which domain (spec 4.2 rule 2, 5.6), or switches from an
 * identity manager that does not work back to passwords.
 */
export const setSite: Command = async ({ db }, args) => {
  const { slug, values } = parseSiteArgs(args);
  const newValues = {
    dedicated_domain: parseDomainOption(values),
    may_manage_existing_users: parseExistingUsersOption(values),
    identity_mode: parseSignInOption(values),
  };
  if (Object.values(newValues).every((value) => value === undefined))
    throw new CommandError(
      'Specify what to set: --dedicated-domain DOMAIN, --no-dedicated-domain, --existing-users allow|deny, --sign-in password',
    );
  const { site_id: siteId } = await resolveSite(db, slug);
  return change(db, createHostActor(siteId), async (tx, record) => {
    const before = await lockSite(tx, siteId);
    const after = await updateSite(tx, siteId, newValues);
    const changes = diffProperties(getAuditedFields(before), getAuditedFields(after));
    if (Object.keys(changes).length > 0)
      record({ action: 'cli.site-set', subject: ['site', siteId], changes });
    return formatSite(after);
  });
};

const getAuditedFields = (site: SiteWithMembers) => ({
  dedicatedDomain: site.dedicated_domain,
  mayManageExistingUsers: site.may_manage_existing_users,
  identityMode: site.identity_mode,
});

interface SiteOptions {
  'dedicated-domain'?: string | undefined;
  'no-dedicated-domain'?: boolean | undefined;
  'existing-users'?: string | undefined;
  'sign-in'?: string | undefined;
}

function parseSiteArgs(args: readonly string[]): { slug: string; values: SiteOptions } {
  const { positionals, values } = parseOrReject(() =>
    parseArgs({
      args: [...args],
      options: {
        'dedicated-domain': { type: 'string' },
        'no-dedicated-domain': { type: 'boolean' },
        'existing-users': { type: 'string' },
        'sign-in': { type: 'string' },
      },
      allowPositionals: true,
    }),
  );
  const [slug, ...rest] = positionals;
  if (slug === undefined) throw new CommandError('Give the slug of one site; site list prints them');
  if (rest.length > 0) throw new CommandError(`Unexpected arguments: ${rest.join(' ')}`);
  return { slug, values };
}

function parseDomainOption(values: SiteOptions): string | null | undefined {
  const text = values['dedicated-domain'];
  if (values['no-dedicated-domain']) {
    if (text !== undefined) throw new CommandError('Use either --dedicated-domain or --no-dedicated-domain');
    return null;
  }
  if (text === undefined) return undefined;
  const domain = normalizeDomain(text);
  if (domain === undefined)
    throw new CommandError(`${text} is not an e-mail domain such as northlight.example, without @ and *`);
  return domain;
}

function parseExistingUsersOption(values: SiteOptions): boolean | undefined {
  const text = values['existing-users'];
  if (text === undefined) return undefined;
  if (text === 'allow' || text === 'deny') return text === 'allow';
  throw new CommandError('--existing-users must be allow or deny');
}

/** Only switching back to passwords is possible; identity managers are configured in the console. */
function parseSignInOption(values: SiteOptions): 'password' | undefined {
  const text = values['sign-in'];
  if (text === undefined || text === 'password') return text;
  throw new CommandError('--sign-in must be password; identity managers are configured in the console');
}
