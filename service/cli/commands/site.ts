import { parseArgs } from 'node:util';
import { normaliseDomain } from '../../areas/invitations/index.ts';
import { differences } from '../../kernel/audit/differences.ts';
import { change, hostActor } from '../../kernel/change.ts';
import { type Command, CommandError, understood } from './command.ts';
import { listSites, lockSite, pickSite, updateSite, type SiteRow } from './store.ts';

type Counted = SiteRow & { members: number };

const shown = (site: Counted) => ({
  slug: site.slug,
  name: site.name,
  members: site.members,
  identityMode: site.identity_mode,
  dedicatedDomain: site.dedicated_domain,
  existingUsers: site.may_manage_existing_users ? 'allow' : 'deny',
});

/** `site list`: every site. */
export const listAllSites: Command = async ({ db }) => (await listSites(db)).map(shown);

/** `site show SLUG`: one of them. */
export const showSite: Command = async ({ db }, args) => {
  const { slug } = readSiteArgs(args);
  return shown(await pickSite(db, slug));
};

/**
 * `site set SLUG [--dedicated-domain DOMAIN | --no-dedicated-domain] [--existing-users allow|deny] [--sign-in password]`:
 * whose people the site may add without their confirmation, and whether it may at all (spec 4.2 rule 2, 5.6); and the way
 * back from an identity manager that lets nobody in.
 */
export const setSite: Command = async ({ db }, args) => {
  const { slug, values } = readSiteArgs(args);
  const wanted = {
    dedicated_domain: readDomain(values),
    may_manage_existing_users: readAllowed(values),
    identity_mode: readSignIn(values),
  };
  if (Object.values(wanted).every((value) => value === undefined))
    throw new CommandError(
      'Say what to set: --dedicated-domain DOMAIN, --no-dedicated-domain, --existing-users allow|deny, --sign-in password',
    );
  const { site_id: siteId } = await pickSite(db, slug);
  return change(db, hostActor(siteId), async (tx, record) => {
    const before = await lockSite(tx, siteId);
    const after = await updateSite(tx, siteId, wanted);
    const changes = differences(told(before), told(after));
    if (Object.keys(changes).length > 0)
      record({ action: 'cli.site-set', subject: ['site', siteId], changes });
    return shown(after);
  });
};

const told = (site: Counted) => ({
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

function readSiteArgs(args: readonly string[]): { slug: string; values: SiteOptions } {
  const { positionals, values } = understood(() =>
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
  if (slug === undefined) throw new CommandError('Give the slug of one site; site list tells them');
  if (rest.length > 0) throw new CommandError(`Not understood: ${rest.join(' ')}`);
  return { slug, values };
}

function readDomain(values: SiteOptions): string | null | undefined {
  const text = values['dedicated-domain'];
  if (values['no-dedicated-domain']) {
    if (text !== undefined) throw new CommandError('Either --dedicated-domain or --no-dedicated-domain');
    return null;
  }
  if (text === undefined) return undefined;
  const domain = normaliseDomain(text);
  if (domain === undefined)
    throw new CommandError(
      `${text} is not a mail domain such as northlight.example, without @ and without *`,
    );
  return domain;
}

function readAllowed(values: SiteOptions): boolean | undefined {
  const text = values['existing-users'];
  if (text === undefined) return undefined;
  if (text === 'allow' || text === 'deny') return text === 'allow';
  throw new CommandError('--existing-users allow, or --existing-users deny');
}

/** Back to passwords alone: how an identity manager is reached is set in the console. */
function readSignIn(values: SiteOptions): 'password' | undefined {
  const text = values['sign-in'];
  if (text === undefined || text === 'password') return text;
  throw new CommandError('--sign-in password; an identity manager is set up on the page of the site');
}
