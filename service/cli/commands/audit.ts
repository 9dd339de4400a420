import { listAuditedSites } from '../../kernel/audit/chain.store.ts';
import { type Anchor, type AuditVerification, verifyAuditChain } from '../../kernel/audit/chain.ts';
import { CommandError, defineCommand, rejectArguments } from './command.ts';
import { resolveSite } from './commands.store.ts';

/** Parses SEQ:HASH. @throws CommandError */
function parseAnchor(text: string): Anchor {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(text) ?? [];
  if (seq === undefined || hash === undefined)
    throw new CommandError('--expect: a number and a hash that an earlier verification printed, as SEQ:HASH');
  return { seq: Number(seq), hash };
}

/** Checks the audit log of one or all sites. Rows that were changed are listed in the refusal. */
export const verifyAudit = defineCommand({
  name: 'audit verify',
  summary: 'Check every row of the audit log against its seal',
  options: {
    site: { type: 'string', value: 'slug', description: 'only the log of this site' },
    expect: {
      type: 'string',
      value: 'seq:hash',
      description: 'number and hash that an earlier verification of the site printed',
    },
  },
  async run({ db }, args, values) {
    rejectArguments(args);
    const anchor = values.expect === undefined ? undefined : parseAnchor(values.expect);
    if (anchor && values.site === undefined) throw new CommandError('--expect: needs --site');
    const siteIds =
      values.site === undefined ? await listAuditedSites(db) : [(await resolveSite(db, values.site)).site_id];
    const sites: AuditVerification[] = [];
    for (const siteId of siteIds) sites.push(await verifyAuditChain(db, siteId, anchor));
    if (sites.some(({ problems }) => problems.length > 0))
      throw new CommandError(`The audit log was changed:\n${JSON.stringify(sites, null, 2)}`);
    return { sites };
  },
});
